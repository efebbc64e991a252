"""Tries many changed versions of a few files, each in a process of its own that is forked from one that has all loaded.

A version whose changes lie inside functions is tried fast: the tests are collected once, a fork gives the living functions
their new code and runs them, which costs some milliseconds. Any other version (a constant of a module, a default value)
is given to the import system in memory and collected anew in its fork. The folder stays as it is, so versions are tried
side by side. Each test has a limit of processor time, and a fork that passes over it is killed.

REDGREEN_TRY names the order, a JSON object: runner (pytest, unittest), args (options), whole (what they are followed by
to run all), first (the failing tests to begin with), red (all that fail), green (those that pass), trials (a list of
{path: text}), seconds (of a test), quick (of a failing test at first), each (of some passing tests, less than seconds), wall (of
all), enough (how many that pass end it), trace (files whose lines are recorded by test instead).
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import redgreen_report  # noqa: E402

sys.path.remove(HERE)
del sys.modules["redgreen_report"]

import base64  # noqa: E402
import collections  # noqa: E402
import copy  # noqa: E402
import gc  # noqa: E402
import hashlib  # noqa: E402
import importlib.machinery  # noqa: E402
import itertools  # noqa: E402
import json  # noqa: E402
import pickle  # noqa: E402
import random  # noqa: E402
import resource  # noqa: E402
import select  # noqa: E402
import signal  # noqa: E402
import time  # noqa: E402
import types  # noqa: E402

MOST_BROKEN = 3  # what a candidate breaks is clear after these
MOST_PARTIAL = 25  # candidates that turn some tests green whose other tests are looked at as well
ROOM = 1 << 30  # bytes that a candidate may use beyond what is loaded


class Stopped(BaseException):
    """The time of a test is over."""


STILL = 1.0  # processor seconds without a new line after which a test that is traced only goes round


BUSY = 0.01  # of the time that a process of a loaded machine gets at least; one that gets less only waits
STARVED = 10  # times as long as else on the wall, where it gets so much


def spent(pid):
    """The processor seconds of a process, 0 where that is not known."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return 0


class Limits:
    """The time that one test may take: of the processor, and four times that on the wall with two seconds more, unless it is busy on
    a machine that gives it little. Where lines are recorded, it ends as well when no new one has come for a while: an endless loop has shown its lines by then."""

    def __init__(self, seconds, lines=None, each=None):
        self.seconds, self.over, self.lines, self.each = seconds, False, lines, each or {}
        signal.signal(signal.SIGPROF, self.stop)
        signal.signal(signal.SIGALRM, self.stop)

    def stop(self, number, _):
        if self.lines and number == signal.SIGPROF:
            self.used += STILL / 2
            self.still = self.still + 1 if len(self.lines.hits) == self.seen else 0
            self.seen = len(self.lines.hits)
            if self.used < self.seconds and self.still < 2:
                return
        if number == signal.SIGALRM and not self.over:
            wall, busy = time.monotonic() - self.begun, time.process_time() - self.busy
            if busy > BUSY * wall and wall < STARVED * self.wall:
                return
        self.over = True
        raise Stopped("the test takes too long")

    def begin(self, name=None):
        self.over, self.used, self.still, self.seen = False, 0, 0, -1
        seconds = min(self.seconds, self.each.get(name, self.seconds))
        first, again = (STILL / 2, STILL / 2) if self.lines else (seconds, 0.05)
        signal.setitimer(signal.ITIMER_PROF, first, again)  # again, where the code under test catches everything
        self.begun, self.busy, self.wall = time.monotonic(), time.process_time(), 4 * seconds + 2
        signal.setitimer(signal.ITIMER_REAL, self.wall, 0.5)

    def end(self):
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


class Lines:
    """Records the lines of some files that run between start and take."""

    def __init__(self, files):
        self.files = {os.path.realpath(p): p for p in files}
        self.known, self.hits = {}, set()

    def resolve(self, name):
        if name not in self.known:
            self.known[name] = self.files.get(os.path.realpath(name))
        return self.known[name]

    def trace(self, frame, event, arg):
        name = self.resolve(frame.f_code.co_filename)
        if not name:
            return None
        add = self.hits.add

        def local(frame, event, arg):
            if event == "line":
                add((name, frame.f_lineno))
            return local

        return local

    def start(self):
        self.hits = set()
        sys.settrace(self.trace)

    def take(self):
        sys.settrace(None)
        hits, self.hits = self.hits, set()
        return hits


class Watch:
    """What one run of tests goes by: whom to tell, the limits of a test, whether lines are recorded."""

    def __init__(self, tell=lambda *_: True, seconds=1, lines=None, each=None):
        self.tell, self.limits, self.lines = tell, Limits(seconds, lines, each), lines

    def begin(self, name):
        self.tell(name, "start", ())
        if self.lines:
            self.lines.start()
        self.limits.begin(name)

    def end(self, name, status):
        """Says whether to go on."""
        self.limits.end()
        return self.tell(name, "hung" if self.limits.over else status, sorted(self.lines.take()) if self.lines else ())


class Pytest:
    """Runs tests with pytest in this process."""

    def __init__(self, order):
        import difflib  # noqa: F401
        import pprint  # noqa: F401

        import pytest

        self.pytest, self.args, self.whole = pytest, order["args"], order["whole"]
        self.watch = None

    def collect(self, tests, then):
        """Collects and calls then with the tests by id and a function that runs some of them; without then runs all."""
        runner, pytest, start = self, self.pytest, os.getcwd()

        class Plugin:
            root = start

            def pytest_configure(self, config):
                self.root = str(getattr(config, "rootpath", None) or config.rootdir)

            def id(self, nodeid):
                name, sep, rest = nodeid.partition("::")
                full = os.path.join(self.root, name.replace("/", os.sep))
                return os.path.relpath(full, start).replace(os.sep, "/") + sep + rest if name else nodeid

            def pytest_collectreport(self, report):
                if report.failed and runner.watch:
                    runner.watch.tell(self.id(report.nodeid), "unbuilt", ())

            @pytest.hookimpl(tryfirst=True)
            def pytest_runtestloop(self, session):
                if not then:
                    return None
                items = {self.id(item.nodeid): item for item in session.items}

                def run(names):
                    chosen = list(items.values()) if names is None else [items[n] for n in names]
                    for item, following in zip(chosen, chosen[1:] + [None]):
                        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                        if session.shouldstop:
                            break

                then(items, run)
                return True

            @pytest.hookimpl(hookwrapper=True, tryfirst=True)
            def pytest_runtest_protocol(self, item):
                self.worst = "skipped"
                name = self.id(item.nodeid)
                runner.watch.begin(name)
                try:
                    yield
                except Stopped:
                    pass
                if not runner.watch.end(name, self.worst):
                    item.session.shouldstop = "enough is known"

            def pytest_runtest_logreport(self, report):
                if report.outcome == "failed":
                    self.worst = "failed"
                elif report.when == "call" and report.outcome == "passed" and self.worst != "failed":
                    self.worst = "passed"

        self.pytest.main(self.args + ["-q", "--tb=no", "-s"] + (tests or self.whole), plugins=[Plugin()])


class Unittest:
    """The same with unittest."""

    def __init__(self, order):
        import unittest

        self.unittest, self.whole, self.watch = unittest, order["whole"], None

    def collect(self, tests, then):
        unittest, runner = self.unittest, self

        class Result(unittest.TestResult):
            def startTest(self, test):
                super().startTest(test)
                self.worst = "passed"
                runner.watch.begin(test.id())

            def stopTest(self, test):
                super().stopTest(test)
                if not runner.watch.end(test.id(), self.worst):
                    self.stop()

            def bad(self, test, err):
                if isinstance(test, unittest.TestCase) and type(test).__name__ != "_FailedTest":
                    self.worst = "failed"
                else:
                    runner.watch.tell(test.id(), "unbuilt", ())

            addError = addFailure = bad

            def addUnexpectedSuccess(self, test):
                self.worst = "failed"

            def addSubTest(self, test, subtest, err):
                if err is not None:
                    self.worst = "failed"

            def addSkip(self, test, reason):
                self.worst = "skipped"

            def addExpectedFailure(self, test, err):
                self.worst = "skipped"

        def each(suite):
            for t in suite:
                if isinstance(t, unittest.TestSuite):
                    yield from each(t)
                else:
                    yield t

        class Runner:
            def __init__(self, *a, **k):
                pass

            def run(self, suite):
                if not then:
                    result = Result()
                    suite(result)
                    return result
                suite._removeTestAtIndex = lambda index: None
                items = {t.id(): t for t in each(suite)}
                then(items, lambda names: unittest.TestSuite(
                    list(items.values()) if names is None else [items[n] for n in names])(Result()))
                return unittest.TestResult()

        unittest.main(module=None, argv=["python -m unittest"] + (tests or self.whole), exit=False, testRunner=Runner)


def source(text):
    """A version for the compiler: as text, since the encoding that a file names is that of its bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape")
    return text[1:] if text.startswith("\ufeff") else text


def give(versions):
    """Has the import system take these texts for the files."""
    texts = {os.path.realpath(p): text for p, text in versions.items()}
    loader = importlib.machinery.SourceFileLoader
    was = loader.get_code

    def get_code(self, fullname):
        text = texts.get(os.path.realpath(self.path))
        if text is None:
            return was(self, fullname)
        return self.source_to_code(source(text), self.path)

    loader.get_code = get_code


OPTIMIZED = 1  # co_flags: the code of a function, not of a class or module


def same(a, b):
    """Whether two code objects do the same, lines aside."""
    if (a.co_code, a.co_names, a.co_varnames, a.co_freevars, a.co_cellvars, a.co_flags, a.co_argcount, a.co_kwonlyargcount) != (
            b.co_code, b.co_names, b.co_varnames, b.co_freevars, b.co_cellvars, b.co_flags, b.co_argcount, b.co_kwonlyargcount):
        return False
    if len(a.co_consts) != len(b.co_consts) or getattr(a, "co_exceptiontable", b"") != getattr(b, "co_exceptiontable", b""):
        return False
    return all(same(x, y) if hasattr(x, "co_code") and hasattr(y, "co_code") else type(x) is type(y) and repr(x) == repr(y)
               for x, y in zip(a.co_consts, b.co_consts))


def changes(old, new):
    """Pairs of functions' code that differ, None when something outside of functions does."""
    if old.co_code != new.co_code or old.co_names != new.co_names or len(old.co_consts) != len(new.co_consts):
        return None
    pairs = []
    for x, y in zip(old.co_consts, new.co_consts):
        if not hasattr(x, "co_code") or not hasattr(y, "co_code"):
            if type(x) is not type(y) or repr(x) != repr(y):
                return None
        elif x.co_flags & OPTIMIZED:
            if not same(x, y):
                if x.co_freevars != y.co_freevars or x.co_name != y.co_name:
                    return None
                pairs.append((x, y))
        else:
            inner = changes(x, y)
            if inner is None:
                return None
            pairs += inner
    return pairs


class Living:
    """The functions that are loaded of some files, by where their code begins."""

    def __init__(self, paths):
        self.originals, self.functions = {}, {}
        for path in paths:
            try:
                with open(path, "rb") as f:
                    self.originals[path] = compile(f.read(), path, "exec", dont_inherit=True)
            except (OSError, SyntaxError, ValueError):
                pass

    def look(self):
        real = {os.path.realpath(p): p for p in self.originals}
        known = {}
        for f in gc.get_objects():
            if type(f) is types.FunctionType:
                name = f.__code__.co_filename
                if name not in known:
                    known[name] = real.get(os.path.realpath(name))
                if known[name]:
                    self.functions.setdefault((known[name], f.__code__.co_name, f.__code__.co_firstlineno), []).append(f)

    def plan(self, versions):
        """The pairs (old, new) to exchange, None when that is not enough, () when it cannot be compiled."""
        out = []
        for path, text in versions.items():
            if path not in self.originals:
                return None
            try:
                new = compile(source(text), path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                return ()
            pairs = changes(self.originals[path], new)
            if pairs is None:
                return None
            out += [(path, old, now) for old, now in pairs]
        return out or ()

    def exchange(self, plan):
        for path, old, new in plan:
            for f in self.functions.get((path, old.co_name, old.co_firstlineno), ()):
                f.__code__ = new


class Child:
    """One forked run of body(tell), over by patience seconds, or when one test is silent for longer than each: a limit of
    its own does not end what computes within one call of C. What is told comes as lines."""

    def __init__(self, body, patience, stage=0, number=0, each=float("inf")):
        self.stage, self.number, self.data, self.statuses, self.hits, self.running = stage, number, b"", {}, {}, None
        self.each, self.told, self.busy = each, time.monotonic(), 0
        self.end = self.told + patience
        out, put = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.close(out)
                self.settle()
                body(self.teller(put))
                status = 0
            except BaseException:
                pass
            finally:
                os._exit(status)
        os.close(put)
        self.fd = out

    def settle(self):
        os.setpgid(0, 0)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        with open("/proc/self/statm") as f:
            size = int(f.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = size + ROOM if hard == resource.RLIM_INFINITY else min(size + ROOM, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))

    def teller(self, put):
        write, encode, pid, owner = os.write, json.JSONEncoder().encode, os.getpid, os.getpid()

        def tell(*message):
            if pid() != owner:
                return  # a process that a test forked
            line = encode(message).encode() + b"\n"
            while line:
                line = line[write(put, line):]

        return tell

    def read(self, take):
        """Takes what came; false at the end."""
        data = os.read(self.fd, 1 << 16)
        self.told, self.busy = time.monotonic(), spent(self.pid)
        *whole, self.data = (self.data + data).split(b"\n")
        for line in whole:
            take(self, json.loads(line))
        return bool(data)

    def late(self, now):
        if now > self.end or self.running is None or now - self.told <= self.each:
            return now > self.end
        busy = spent(self.pid) - self.busy
        return busy > self.each / 4 or busy < BUSY * (now - self.told) or now - self.told > STARVED * self.each

    def close(self, kill):
        if kill:
            for end in (os.killpg, os.kill):
                try:
                    end(self.pid, signal.SIGKILL)
                except OSError:
                    pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)
        if self.running is not None:
            self.statuses[self.running] = "hung" if kill else "crashed"


def status(child, message):
    name, what, hits = message
    if what == "start":
        child.running = name
    else:
        child.running = None
        child.statuses[name] = what
        child.hits[name] = hits


def together(children, take, done):
    """Runs the children of an iterator, two at a time; take gets their messages, done each that ended."""
    live, more = [], True
    while live or more:
        while more and len(live) < 2:
            child = next(children, None)
            more = child is not None
            if more:
                live.append(child)
        if not live:
            break
        wait = max(0, min(c.end for c in live) - time.monotonic())
        ready = select.select([c.fd for c in live], [], [], min(wait, 1))[0]
        now = time.monotonic()
        for c in list(live):
            ended = c.fd in ready and not c.read(take)
            if ended or c.late(now):
                live.remove(c)
                c.close(not ended)
                done(c)


class Search:
    """Carries out an order over some of its trials. start(n, names, tell, seconds, each) runs tests on trial n, each for so long at
    most.

    At first a failing test has little time. What takes longer mostly never ends: it has its whole time when all others had
    their turn and none of them passes, those first that turned a test green before: some in any case, more for as long as half of
    what the others took. What is still left is told as late."""

    AGAIN = 6

    def __init__(self, order, write, start):
        self.order, self.write, self.start = order, write, start
        self.quick = min(order["quick"] or order["seconds"] / 4, order["seconds"])
        self.seconds, self.slow = self.quick, []
        self.second, self.passed, self.partial, self.begun, self.last = [], 0, 0, 0, 1 << 30
        self.good = []
        self.green, self.red = set(order["green"]), set(order["red"])

    def child(self, n, stage):
        order, broken = self.order, 0

        def body(put):
            def tell(name, what, hits):
                nonlocal broken
                put(name, what, ())
                if stage == 1:
                    return what != "hung"
                broken += name in self.green and what not in ("passed", "start")
                return broken < MOST_BROKEN

            self.start(n, order["first"] if stage == 1 else None, tell, self.seconds if stage == 1 else order["seconds"], order["each"])

        longest = self.seconds if stage == 1 else order["seconds"]
        patience = STARVED * (4 * longest + 2) * (len(order["first"]) + 1) + 10
        return Child(body, patience if stage == 1 else order["wall"] + patience, stage, n, 4 * longest + 5)

    def next(self, numbers, until):
        while True:
            if self.second:
                yield self.child(self.second.pop(0), 2)
                continue
            n = None
            if self.passed < self.order["enough"] and self.begun < self.last and time.monotonic() < until:
                n = next(numbers, None)
            if n is None:
                return
            self.begun += 1
            yield self.child(n, 1)

    def found(self, more):
        """Something good was found: go on for as long as it took, and a little more, for better ones."""
        self.last = min(self.last, self.begun + max(self.begun, more))

    def done(self, c):
        order, red, green = self.order, self.order["red"], self.order["green"]
        fixed = [n for n in red if c.statuses.get(n) == "passed"]
        if c.stage == 1:
            hung = [n for n, s in c.statuses.items() if s == "hung"]
            if hung and self.seconds < order["seconds"]:
                self.slow.append((-len(fixed), c.number))
                return
            if len(fixed) == len(order["first"]) or fixed and self.partial < MOST_PARTIAL:
                self.partial += len(fixed) < len(order["first"])
                self.second.append(c.number)
            self.write(event="trial", n=c.number, fixed=fixed, hung=hung,
                       built=any(s != "unbuilt" for s in c.statuses.values()), crashed="crashed" in c.statuses.values())
            return
        broken = [n for n in green if n in c.statuses and c.statuses[n] != "passed"]
        if len(broken) < MOST_BROKEN:
            broken += [n for n in green if n not in c.statuses]
        if not broken and len(fixed) == len(red):
            self.passed += 1
            self.good.append(c.number)
            self.found(120)
        elif not broken or len(fixed) == len(red):
            self.found(400)  # many edits help in part, most by accident: the right one alone is as likely still to come
        self.write(event="whole", n=c.number, broken=broken[:20], fixed=fixed)

    def run(self, numbers, until):
        begun = time.monotonic()
        self.each(iter(numbers), until)
        slow = [n for _, n in sorted(self.slow)]
        now = time.monotonic()
        if not self.passed:
            self.last, self.seconds = 1 << 30, self.order["seconds"]
            self.each(iter(slow[:self.AGAIN]), until)
            rest = iter(slow[self.AGAIN:])
            self.each(rest, min(until, now + (now - begun) / 2))
            slow = list(rest)
        for n in slow:
            self.write(event="late", n=n)

    def each(self, numbers, until):
        while True:
            together(self.next(numbers, until), status, self.done)
            if not self.second:
                return


class Compared:
    """How those that pass all tests differ: the functions and methods of the changed files are called as the tests call them
    and with inputs a little off those, first as they are and then as each version has them. What came of each call is told; it is
    judged outside (try_compare.go)."""

    MOST_TESTS, MOST_CALLS, MOST_INPUTS, MOST_HUNG, LONG, SHOWN, MOST_FIELDS, DEEP = 60, 200, 120, 4, 3000, 160, 5, 4

    def __init__(self, order, living, plans, good, runner, items, run):
        self.order, self.living, self.plans, self.runner, self.run = order, living, plans, runner, run
        self.changed = {n: {(path, old.co_name, old.co_firstlineno) for path, old, _ in plans[n]} for n in good}
        self.codes = {f.__code__: key for changed in self.changed.values() for key in changed for f in living.functions.get(key, ())}
        self.names = [n for n in order["red"] + order["green"][:self.MOST_TESTS] if n in items]
        self.random = random.Random(1)
        self.functions = {}  # the module's functions and methods that can be called with what a text holds
        for (path, name, _), found in living.functions.items():
            for f in found:
                own, _, last = f.__qualname__.rpartition(".")
                if last == name and "." not in own and name != "__init__" and not f.__code__.co_flags & 0x28C and not f.__code__.co_kwonlyargcount:
                    self.functions[f.__code__] = (path, name, f, bool(own))

    def calls(self, put):
        """Runs all tests and tells of the calls from outside: test, number of the function, arguments as a literal."""
        known = {code: i for i, code in enumerate(self.functions)}
        files = {code.co_filename for code in known}
        told = collections.Counter()
        running = None

        def watch(frame, event, _):
            code = frame.f_code
            if event != "call" or code not in known or frame.f_back is None or told[running] >= 6:
                return
            by = frame.f_back.f_code
            if by.co_filename in files and (code not in self.codes or by in self.codes):
                return  # from within; what is changed is looked at wherever it is called, but for its own calls
            try:
                args = pickle.dumps([frame.f_locals[v] for v in code.co_varnames[:code.co_argcount]])
                if len(args) <= self.LONG:
                    pickle.loads(args)
                    told[running] += 1
                    put(running, known[code], base64.b64encode(args).decode())
            except Exception:
                pass

        def tell(name, what, hits):
            nonlocal running
            running = name
            if what == "start":
                sys.setprofile(watch)
            else:
                sys.setprofile(None)
                put(name, what)
            return sum(told.values()) < self.MOST_CALLS

        self.runner.watch = Watch(tell, self.order["seconds"])
        self.run(self.names)

    def inputs(self, told):
        """The inputs a little off those of the calls: number of the function, arguments, whether the test passes."""
        passed = {m[0] for m in told if m[1:] == ["passed"]}
        calls = [(m[1], pickle.loads(base64.b64decode(m[2])), m[0] in passed) for m in told if len(m) == 3]
        seen, out = {(f, self.plainly(args)) for f, args, _ in calls}, []
        for f, args, green in calls:
            for i, value in enumerate(args):
                for other in self.off(value):
                    one = (f, args[:i] + [other] + args[i + 1:], green)
                    key = f, self.plainly(one[1])
                    if key not in seen:
                        seen.add(key)
                        out.append(one)
        self.random.shuffle(out)
        return out[:self.MOST_INPUTS]

    def off(self, value):
        """Values a little off one."""
        some, kind = self.random, type(value)
        if kind is bool:
            return [not value]
        if kind in (int, float):
            return [value + 1, value - 1, 0, -value]
        if kind is str and value:
            i, j = some.randrange(len(value)), some.randrange(len(value))
            return [value[1:], value[:-1], value[::-1], value + value, value[:i] + value[i] + value[i:], value[:i] + value[j] + value[i + 1:]]
        if kind in (list, tuple) and value:
            all_, i, j = list(value), some.randrange(len(value)), some.randrange(len(value))
            swapped = list(all_)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            others = self.off(all_[i])[:3]
            within = [all_[:i] + [other] + all_[i + 1:] for other in others] + [all_ + [other] for other in others[:1]]
            return [kind(v) for v in [all_[1:], all_[:-1], all_[::-1], all_ + all_, all_[:i] + [all_[i]] + all_[i:], swapped] + within]
        if kind in (dict, set) and value:
            key = some.choice(sorted(value, key=repr))
            if kind is set:
                return [value - {key}]
            return [{k: v for k, v in value.items() if k != key}] + [{**value, key: other} for other in self.off(value[key])[:2]]
        if self.ours(kind):
            return [other for name in sorted(vars(value))[:self.MOST_FIELDS] for other in self.with_field(value, name)]
        return []

    def ours(self, kind):
        """Whether a type is a class of the changed files, the fields of which are known."""
        return hasattr(kind, "__dict__") and isinstance(vars(kind).get("__dict__"), types.GetSetDescriptorType) and any(
            f.__globals__.get("__name__") == kind.__module__ for _, _, f, _ in self.functions.values())

    def with_field(self, value, name):
        """The object with one field a little off."""
        out = []
        for field in self.off(vars(value)[name])[:2]:
            try:
                other = copy.copy(value)
                vars(other)[name] = field
                out.append(other)
            except Exception:
                pass
        return out

    def plainly(self, value, deep=0):
        """A value as a text without addresses: objects of the changed files with their fields."""
        kind = type(value)
        if deep < self.DEEP:
            if kind in (list, tuple, set, frozenset):
                inner = ", ".join((sorted if kind in (set, frozenset) else list)(self.plainly(v, deep + 1) for v in value))
                return "[%s]" % inner if kind is list else "(%s)" % inner if kind is tuple else "{%s}" % inner
            if kind is dict:
                return "{%s}" % ", ".join("%s: %s" % (self.plainly(k, deep + 1), self.plainly(v, deep + 1)) for k, v in value.items())
            if self.ours(kind):
                return "%s(%s)" % (kind.__name__, ", ".join("%s=%s" % (k, self.plainly(v, deep + 1)) for k, v in sorted(vars(value).items())))
        return repr(value)

    def short(self, text):
        return text if len(text) <= self.SHOWN else text[:self.SHOWN - 1] + "…"

    def behave(self, inputs, plan, put):
        """Tells what each input gives, shortly; without a plan also which functions it comes to that are changed by one."""
        reached = set()

        def watch(frame, event, _):
            if event == "call" and frame.f_code in self.codes:
                reached.add(self.codes[frame.f_code])

        if plan:
            self.living.exchange(plan)
        all_, hung = list(self.functions.values()), 0
        limits = Limits(min(self.order["seconds"], 0.3))
        for i, (f, args, _) in enumerate(inputs):
            method = all_[f][3]  # it may change its object
            args, given = copy.deepcopy(args), self.plainly(args[method:])
            reached.clear()
            limits.begin()
            try:
                if not plan:
                    sys.setprofile(watch)
                got = all_[f][2](*args)
                if isinstance(got, types.GeneratorType):
                    got = list(itertools.islice(got, 1000))
                shown = self.plainly(got)
                if self.plainly(args[method:]) != given:
                    shown += " and changes what it is given to " + ", ".join(map(self.plainly, args[method:]))
                got = self.plainly((got, args))
                got = "?" if " at 0x" in got else hashlib.sha1(got.encode("utf-8", "replace")).hexdigest()[:12]
            except Stopped:
                got, shown, hung = "!hangs", "no end", hung + 1
            except Exception as e:
                got, shown = "!" + type(e).__name__, type(e).__name__
            finally:
                sys.setprofile(None)
                limits.end()
            put(i, got, self.short(shown), sorted(reached), self.plainly(args[method:]) != given)
            if hung > self.MOST_HUNG:
                return

    def tell(self, good, put):
        told = []
        together(iter([Child(self.calls, 10)]), lambda _, m: told.append(m), lambda c: None)
        inputs = self.inputs(told)
        if not inputs:
            return
        functions = list(self.functions.values())
        put({"event": "inputs", "calls": [self.short("%s(%s)" % (functions[f][1], ", ".join(map(self.plainly, args)))) for f, args, _ in inputs],
             "green": [passed for _, _, passed in inputs]})
        reached = {}
        for n in (-1, -1, *good):  # the code as it is twice: what it does not do the same tells nothing
            put({"event": "fates", "n": n, "fates": self.fates(inputs, n, reached)})

    def fates(self, inputs, n, reached):
        out = []

        def take(_, message):
            i, fate, shown, keys, touches = message
            if n < 0:
                reached[i] = {tuple(key) for key in keys}
            out.append({"input": i, "fate": fate, "shown": shown, "touches": touches, "reaches": n >= 0 and bool(self.changed[n] & reached.get(i, set()))})
        together(iter([Child(lambda tell: self.behave(inputs, self.plans[n] if n >= 0 else None, tell), 10)]), take, lambda c: None)
        return out


def main():
    write = redgreen_report.open_report()
    with open(os.environ.pop("REDGREEN_TRY"), encoding="utf-8", errors="surrogateescape") as file:
        order = json.load(file)
    folder = redgreen_report.folder_path()
    runner = {"pytest": Pytest, "unittest": Unittest}[order["runner"]](order)
    sys.path[:0] = folder
    redgreen_report.give_way(folder)
    redgreen_report.src_last()
    redgreen_report.stand_in(order["runner"], [])
    sys.dont_write_bytecode = False  # of the files as they are, in this run's own layer
    seconds, until = order["seconds"], time.monotonic() + order["wall"]

    if order["trace"]:
        def body(put):
            runner.watch = Watch(lambda *a: put(*a) or True, seconds, Lines(order["trace"]))
            runner.collect([], None)

        def traced(c):
            for name, what in c.statuses.items():
                write(event="lines", id=name, status=what, hits=c.hits[name] if name in c.hits else [])
        together(iter([Child(body, order["wall"])]), status, lambda c: traced(c))
        write(event="end", status="0")
        return

    living = Living({p for t in order["trials"] for p in t})
    plans = [living.plan(t) for t in order["trials"]]
    for n, plan in enumerate(plans):
        if plan == ():
            write(event="trial", n=n, fixed=[], hung=[], built=False, crashed=False)
    fast = [n for n, p in enumerate(plans) if p]
    slow = [n for n, p in enumerate(plans) if p is None]
    passed = 0

    def loaded(put):
        """The process that has all loaded and forks for each version; it ends when the fast ones are tried."""
        def then(items, run):
            if not all(n in items for n in order["first"]):
                return
            living.look()
            gc.collect()
            gc.freeze()  # forks share what the collector does not touch; what is frozen is not listed any more

            def start(n, names, tell, seconds, each):
                give(order["trials"][n])
                living.exchange(plans[n])
                runner.watch = Watch(tell, seconds, each=each)
                run(names)

            search = Search(order, lambda **event: put(event), start)
            search.run(fast, until)
            if len(search.good) > 1:
                good = sorted(search.good)
                Compared(order, living, plans, good, runner, items, run).tell(good, put)
            put({"event": "fast"})
        runner.collect([], then)

    done = False

    def relay(child, message):
        nonlocal done, passed
        (event,) = message
        if event["event"] == "fast":
            done = True
        else:
            passed += event["event"] == "whole" and not event["broken"] and len(event["fixed"]) == len(order["red"])
            write(**event)

    if fast:
        together(iter([Child(loaded, 2 * order["wall"] + 120)]), relay, lambda c: None)
    if not done:
        slow = sorted(fast + slow)

    def start(n, names, tell, seconds, each):
        give(order["trials"][n])
        runner.watch = Watch(tell, seconds, each=each)
        runner.collect(names, None)

    search = Search(order, write, start)
    search.passed = passed
    search.run(slow, until)
    write(event="end", status="0")


main()
