"""Runs unittest with its own arguments and writes one line of JSON for each event, so that a crash loses nothing."""

import json
import os
import sys
import time
import traceback
import unittest

LONGEST = 20000


class Result(unittest.TextTestResult):
    report = None

    def write(self, **event):
        self.report.write(json.dumps(event) + "\n")
        self.report.flush()

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.failed_parts = False
        self.write(event="start", id=test.id())

    def done(self, test, status, err=None, text=""):
        event = {"event": "test", "id": test.id(), "status": status,
                 "ms": int((time.monotonic() - getattr(self, "began", time.monotonic())) * 1000), "text": text}
        if err is not None:
            event.update(self.failure(test, err))
        self.write(**event)

    def failure(self, test, err):
        text = self._exc_info_to_string(err, test)
        event = {"text": text if len(text) <= LONGEST else "[...]\n" + text[-LONGEST:]}
        kind, value, _ = err
        event["crash"] = "".join(traceback.format_exception_only(kind, value)).strip()[:LONGEST]
        here = os.getcwd() + os.sep
        for frame in traceback.extract_tb(err[2]):
            if frame.filename.startswith(here):
                event.update(file=frame.filename[len(here):].replace(os.sep, "/"), line=frame.lineno)
        return event

    def addSuccess(self, test):
        super().addSuccess(test)
        if not self.failed_parts:
            self.done(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.done(test, "failed", err)

    def addError(self, test, err):
        super().addError(test, err)
        inside = isinstance(test, unittest.TestCase) and not type(test).__name__ == "_FailedTest"
        self.done(test, "failed" if inside else "error", err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.done(test, "skipped", text=reason)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.done(test, "skipped", text="expected failure")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.done(test, "failed", text="passed although a failure was expected")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failed_parts = True
            self.done(test, "failed", err)


def main():
    Result.report = open(os.environ.pop("REDGREEN_REPORT"), "a", encoding="utf-8")
    sys.path[0] = os.getcwd()
    program = unittest.main(module=None, argv=["python -m unittest"] + sys.argv[1:], exit=False,
                            testRunner=unittest.TextTestRunner(resultclass=Result))
    result = program.result
    Result.report.write(json.dumps({"event": "end", "collected": result.testsRun,
                                    "status": "0" if result.wasSuccessful() else "1"}) + "\n")
    Result.report.flush()
    sys.exit(0 if result.wasSuccessful() else 1)


main()
