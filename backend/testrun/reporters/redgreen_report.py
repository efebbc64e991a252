"""What run_pytest.py and run_unittest.py share: the sealed report, and the way to the folder's modules.

Each line of a report begins with its seal, the HMAC-SHA256 (RFC 2104) of the seal before and the line, so that code under
test which writes into the file is noticed, as is a line that was changed or taken out. The key lies in a file that is removed here, before
any of that code is loaded. What is used while tests run is bound beforehand: replacing json.dumps or os.write later
changes nothing.
"""

import hmac
import importlib.machinery
import importlib.util
import json
import os
import signal
import sys
import types


def open_report():
    """Gives the function that writes one event."""
    path = os.environ.pop("REDGREEN_REPORT")
    with open(path + ".key", "rb") as file:
        key = hmac.new(file.read(), digestmod="sha256")
    os.unlink(path + ".key")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
    encode, put, leave, pid, owner = json.JSONEncoder().encode, os.write, os._exit, os.getpid, os.getpid()
    seal = b""

    def write(**event):
        nonlocal seal
        if pid() != owner:
            return  # a process that a test forked
        line = encode(event).encode()
        mac = key.copy()
        mac.update(seal + line)
        seal = mac.hexdigest().encode()
        data = seal + b" " + line + b"\n"
        try:
            while data:
                data = data[put(fd, data):]
        except OSError:
            leave(74)  # EX_IOERR: the disk is full, say; what stands there is not all, and goes for nothing

    return write


# What is loaded before the first line of any program, and so never the folder's own; and what the runners import while
# tests run.
KEPT = frozenset(sys.modules) | frozenset(sys.builtin_module_names) | frozenset((
    "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "typing_extensions", "pygments", "unittest", "difflib", "pprint",
    "doctest", "faulthandler", "warnings", "pdb", "bdb", "shutil", "math", "textwrap", "tempfile", "re", "pickle", "inspect", "types",
    "traceback", "linecache", "tokenize", "token", "importlib", "itertools", "functools", "dataclasses", "typing", "signal", "weakref",
))


def give_way(folders):
    """Forgets the modules that the folder has under the same name, as a calendar.py of its own: its tests import that one
    after `python -m`. Whoever imported the other keeps it."""
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            module = name[:-3] if name.endswith(".py") else name
            if module in KEPT or module not in sys.modules:
                continue
            if name.endswith(".py") or os.path.exists(os.path.join(folder, name, "__init__.py")):
                for loaded in [m for m in sys.modules if m == module or m.startswith(module + ".")]:
                    del sys.modules[loaded]


def folder_path():
    """What `python -m` puts before the interpreter's own path: the folder, then PYTHONPATH."""
    return [os.getcwd()] + [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]


def src_last():
    """Puts src behind everything else on the path. What the tests start themselves finds it before the interpreter's own
    modules, where PYTHONPATH stands, and so only gets it when it has none of their names."""
    src = os.environ.pop("REDGREEN_SRC", "")
    if not src or src in sys.path:
        return
    sys.path.append(src)
    names = {name.partition(".")[0] for name in os.listdir(src)}
    if not any(importlib.machinery.PathFinder.find_spec(name, [p for p in sys.path if p != src]) for name in names) and not names & set(sys.builtin_module_names):
        os.environ["PYTHONPATH"] = os.pathsep.join([p for p in [os.environ.get("PYTHONPATH", "")] if p] + [src])


def measure():
    """Starts the measuring of coverage where it is asked for: with -I Python does not import that sitecustomize by itself."""
    if os.environ.get("REDGREEN_COVER"):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coverage", "sitecustomize.py")
        with open(path, encoding="utf-8") as file:
            exec(compile(file.read(), path, "exec"), {"__name__": "sitecustomize"})


def watch(*owners):
    """Remembers the functions of classes and modules of the runner. Gives a function that names the first of them that
    is another one now, "" when none is: with those replaced a test passes without having run."""
    kept = []
    for owner in owners:
        for name, value in list(vars(owner).items()):
            value = getattr(value, "__func__", value)
            if isinstance(value, types.FunctionType) and value.__module__.partition(".")[0] in ("_pytest", "unittest", "pluggy", "__main__"):
                kept.append((owner, name, value, value.__code__))
    unwrap, missing = getattr, object()
    spaces = [(vars(owner), owner, name, value, code) for owner, name, value, code in kept]

    def altered():
        for space, owner, name, value, code in spaces:
            now = space.get(name, missing)
            if unwrap(now, "__func__", now) is not value or value.__code__ is not code:
                return owner.__name__ + "." + name
        return ""

    return altered


class Hung(BaseException):
    """A test used up its processor time. No Exception, so that code under test does not take it for one of its own."""


def sound(traceback):
    """The same traceback with lines that its code has: some versions of Python give one stopped at a loop's end a line
    far outside, and pytest fails over it."""
    if traceback is None:
        return None
    code, line = traceback.tb_frame.f_code, traceback.tb_lineno
    known = {n for *_, n in code.co_lines() if n} if hasattr(code, "co_lines") else {line}
    if line not in known:
        line = max((n for n in known if line and n <= line), default=code.co_firstlineno)
    return types.TracebackType(sound(traceback.tb_next), traceback.tb_frame, traceback.tb_lasti, line)


class Hangs:
    """Ends a test that uses more processor time than it may, so that one endless loop does not cost the others their
    results. After the first the rest has less: where one hangs, others of its kind do."""

    def __init__(self):
        self.seconds = float(os.environ.pop("REDGREEN_TEST_SECONDS", "0"))
        self.after = min(self.seconds, 3.0)
        if self.seconds:
            signal.signal(signal.SIGPROF, self.stop)

    def stop(self, *_):
        text = "stopped: the test takes too long, more than %g s of processor time" % self.seconds
        self.seconds = self.after
        raise Hung(text)

    def begin(self):
        if self.seconds:
            signal.setitimer(signal.ITIMER_PROF, self.seconds, 1)

    def end(self):
        if self.seconds:
            signal.setitimer(signal.ITIMER_PROF, 0)


def stand_in(name, argv):
    """Lets __main__ and sys.argv be what they are after `python -m name`."""
    module = types.ModuleType("__main__")
    main = importlib.util.find_spec(name + ".__main__")
    module.__spec__, module.__file__, module.__package__ = main, main.origin, name
    sys.modules["__main__"] = module
    sys.argv = [main.origin] + argv
