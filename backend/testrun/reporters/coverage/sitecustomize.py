"""Python imports this by itself when it starts, so that programs that a test starts are measured too.

It writes which lines of a few files exist (S) and which were executed (X), one a line and at once, so that a process that
is killed loses nothing. REDGREEN_COVER has the report's path, then the files, one a line.
"""

import os
import sys

NAMES = os.environ.get("REDGREEN_COVER", "").split("\n")
REPORT, FILES = NAMES[0], {os.path.realpath(p): p for p in NAMES[1:]}


def statements(code):
    """The lines of a code object and of those inside it."""
    for const in code.co_consts:
        if hasattr(const, "co_code"):
            yield from statements(const)
    if hasattr(code, "co_lines"):
        yield from (line for _, _, line in code.co_lines() if line)
    else:
        import dis

        yield from (line for _, line in dis.findlinestarts(code) if line)


def start():
    out = os.open(REPORT, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(kind, name, line):
        os.write(out, ("%s %d %s\n" % (kind, line, FILES[name])).encode("utf-8", "surrogateescape"))

    try:
        os.close(os.open(REPORT + ".statements", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        pass
    else:
        for name in FILES:
            try:
                with open(name, "rb") as f:
                    code = compile(f.read(), name, "exec", dont_inherit=True)
            except (OSError, SyntaxError, ValueError):
                continue
            for line in sorted(set(statements(code))):
                write("S", name, line)

    seen, known = set(), {}

    def resolve(filename):
        if filename not in known:
            full = os.path.realpath(filename)
            known[filename] = full if full in FILES else None
        return known[filename]

    def hit(name, line):
        if line and (name, line) not in seen:
            seen.add((name, line))
            write("X", name, line)

    if hasattr(sys, "monitoring"):
        monitoring = sys.monitoring

        def on_line(code, line):
            name = resolve(code.co_filename)
            if name:
                hit(name, line)
            return monitoring.DISABLE

        for tool in (4, 3, 5):
            if monitoring.get_tool(tool) is None:
                monitoring.use_tool_id(tool, "redgreen")
                monitoring.register_callback(tool, monitoring.events.LINE, on_line)
                monitoring.set_events(tool, monitoring.events.LINE)
                return
    import atexit
    import threading

    def local(frame, event, arg):
        if event == "line":
            hit(resolve(frame.f_code.co_filename), frame.f_lineno)
        return local

    def trace(frame, event, arg):
        name = resolve(frame.f_code.co_filename)
        if not name:
            return None
        hit(name, frame.f_lineno)
        return local

    def check():
        if sys.gettrace() is not trace:
            os.write(out, b"T 0 another trace function\n")

    atexit.register(check)
    threading.settrace(trace)
    sys.settrace(trace)


if REPORT:
    start()
