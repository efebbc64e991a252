"""A pytest plugin that writes one line of JSON for each event of a run, so that a crash loses nothing."""

import json
import os

import pytest

LONGEST = 20000


def cut(text):
    """Long text without its middle: assertions stand at the end, the first call at the start."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 4] + "\n[...]\n" + text[-LONGEST * 3 // 4 :]


class Reporter:
    def __init__(self, config, path):
        self.root = str(getattr(config, "rootpath", None) or config.rootdir)
        self.start = str(config.invocation_params.dir)
        self.file = open(path, "a", encoding="utf-8")
        self.collected = 0

    def write(self, **event):
        self.file.write(json.dumps(event) + "\n")
        self.file.flush()

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

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(event="test", id=self.id(report.nodeid), status="error", phase="collect",
                       text=cut(str(report.longrepr)))

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(event="start", id=self.id(nodeid))

    def pytest_runtest_logreport(self, report):
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
        self.write(event="end", status=str(int(exitstatus)), collected=self.collected)


def pytest_configure(config):
    path = os.environ.pop("REDGREEN_REPORT", "")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(config, path), "redgreen-reporter")
