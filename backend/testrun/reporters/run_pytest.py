"""Starts pytest as `python -m pytest` does and reports each event as it comes, so that a crash loses nothing.

It is run with python -I, so that only the interpreter's own modules can be imported at first: pytest, what it needs and
its installed plugins. Nothing of the folder can take their place. Only then does the folder come first on sys.path.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import redgreen_report  # noqa: E402

watch, hangs, Hung, sound = redgreen_report.watch, redgreen_report.Hangs(), redgreen_report.Hung, redgreen_report.sound
sys.path.remove(HERE)
del sys.modules["redgreen_report"]

import difflib  # noqa: E402,F401 (pytest imports these only when a test fails)
import pprint  # noqa: E402,F401

import unittest.case  # noqa: E402

import _pytest.python  # noqa: E402
import _pytest.reports  # noqa: E402
import _pytest.runner  # noqa: E402
import _pytest.unittest  # noqa: E402
import pytest  # noqa: E402

LONGEST = 20000


def cut(text):
    """Long text without its middle: assertions stand at the end, the first call at the start."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 4] + "\n[...]\n" + text[-LONGEST * 3 // 4 :]


class Reporter:
    def __init__(self, write):
        self.write = write
        self.own = list(sys.path)
        self.folder = redgreen_report.folder_path()
        sys.path += self.folder  # -p may name a plugin of the folder
        self.root = self.start = os.getcwd()
        self.collected = 0
        self.altered = lambda: ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        """The installed plugins are loaded, nothing of the folder is: now it comes first."""
        self.altered = watch(_pytest.runner, _pytest.runner.CallInfo, _pytest.reports.TestReport, pytest.Function, unittest.case.TestCase)
        added = [p for p in sys.path if p not in self.own and p not in self.folder]
        sys.path[:] = added + self.folder + self.own
        redgreen_report.give_way(self.folder)
        redgreen_report.src_last()
        options = getattr(early_config, "known_args_namespace", None)
        if hasattr(options, "cov_fail_under"):
            options.cov_fail_under = 0  # a limit on coverage is no failing test, and a part of the tests never meets it

    def pytest_configure(self, config):
        self.root = str(getattr(config, "rootpath", None) or config.rootdir)
        self.start = str(config.invocation_params.dir)

    def id(self, nodeid):
        """The node id with its file relative to where the run started, as it can be passed back."""
        name, sep, rest = nodeid.partition("::")
        if not name:
            return nodeid
        full = os.path.join(self.root, name.replace("/", os.sep))
        return os.path.relpath(full, self.start).replace(os.sep, "/") + sep + rest

    def relative(self, path):
        path = str(path)
        if os.path.isabs(path) and path.startswith(self.start + os.sep):
            path = os.path.relpath(path, self.start)
        return path.replace(os.sep, "/")

    def pytest_collection_finish(self, session):
        self.collected = len(session.items)
        self.write(event="collected", collected=self.collected)

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(event="test", id=self.id(report.nodeid), status="error", phase="collect",
                       text=cut(str(report.longrepr)))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        hangs.begin()
        yield
        hangs.end()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and isinstance(call.excinfo.value, Hung):
            call.excinfo = pytest.ExceptionInfo.from_exc_info((Hung, call.excinfo.value, sound(call.excinfo.tb)))

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(event="start", id=self.id(nodeid))

    def pytest_runtest_logreport(self, report):
        self.look()
        if report.outcome not in ("passed", "failed", "skipped"):
            return
        if report.when != "call" and report.outcome == "passed":
            return
        event = {"event": "test", "id": self.id(report.nodeid), "phase": report.when,
                 "status": report.outcome, "ms": int(report.duration * 1000)}
        if report.outcome == "failed" and report.when != "call":
            event["status"] = "error"
        if report.outcome == "skipped":
            event["text"] = self.reason(report)
        elif report.outcome == "failed":
            event.update(self.failure(report))
        elif hasattr(report, "wasxfail"):
            event["text"] = "passed although a failure was expected"
        self.write(**event)

    def look(self):
        """Reports once that the runner is not what it was."""
        name = self.altered()
        if name:
            self.altered = lambda: ""
            self.write(event="altered", text=name)

    def reason(self, report):
        if hasattr(report, "wasxfail"):
            return ("expected failure: " + report.wasxfail).rstrip(": ")
        if isinstance(report.longrepr, tuple):
            text = str(report.longrepr[2])
            return text[len("Skipped: "):] if text.startswith("Skipped: ") else text
        return ""

    def failure(self, report):
        event = {"text": cut(str(report.longrepr or ""))}
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is not None:
            event.update(file=self.relative(crash.path), line=crash.lineno, crash=cut(crash.message))
        event["output"] = cut("\n".join(text for name, text in report.sections if name.startswith("Captured log")
                                        or name.startswith("Captured std")))
        return event

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self.look()
        self.write(event="end", status=str(int(exitstatus)), collected=self.collected)


def main():
    reporter = Reporter(redgreen_report.open_report())
    redgreen_report.stand_in("pytest", sys.argv[1:])
    redgreen_report.measure()
    sys.exit(pytest.main(sys.argv[1:], plugins=[reporter]))


main()
