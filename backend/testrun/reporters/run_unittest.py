"""Runs unittest with its own arguments and reports each event as it comes, so that a crash loses nothing.

It is run with python -I, so that nothing of the folder can take the place of unittest or of a module that it needs.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import redgreen_report  # noqa: E402

sys.path.remove(HERE)
del sys.modules["redgreen_report"]

import time  # noqa: E402
import traceback  # noqa: E402
import unittest  # noqa: E402

LONGEST = 20000
hangs = redgreen_report.Hangs()


class Result(unittest.TextTestResult):
    write = None
    altered = None

    def look(self):
        """Reports once that the runner is not what it was."""
        name = self.altered()
        if name:
            Result.altered = staticmethod(lambda: "")
            self.write(event="altered", text=name)

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()
        self.failed_parts = False
        self.write(event="start", id=test.id())
        hangs.begin()

    def stopTest(self, test):
        hangs.end()
        super().stopTest(test)

    def done(self, test, status, err=None, text=""):
        event = {"event": "test", "id": test.id(), "status": status,
                 "ms": int((time.monotonic() - getattr(self, "began", time.monotonic())) * 1000), "text": text}
        if err is not None:
            event.update(self.failure(test, err))
        self.look()
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


class Runner(unittest.TextTestRunner):
    def run(self, test):
        try:
            Result.write(event="collected", collected=test.countTestCases())
        except Exception:
            pass  # a suite of the folder's own that cannot be counted; it can be run all the same
        return super().run(test)


def main():
    write = redgreen_report.open_report()
    Result.write = staticmethod(write)
    Result.altered = staticmethod(redgreen_report.watch(
        unittest.TestCase, unittest.TestSuite, unittest.TestResult, unittest.TextTestResult, unittest.TextTestRunner, Result, Runner))
    sys.path[:0] = redgreen_report.folder_path()
    redgreen_report.give_way(redgreen_report.folder_path())
    redgreen_report.src_last()
    redgreen_report.stand_in("unittest", sys.argv[1:])
    redgreen_report.measure()
    program = unittest.main(module=None, argv=["python -m unittest"] + sys.argv[1:], exit=False,
                            testRunner=Runner(resultclass=Result))
    result = program.result
    result.look()
    write(event="end", collected=result.testsRun, status="0" if result.wasSuccessful() else "1")
    sys.exit(0 if result.wasSuccessful() else 1)


main()
