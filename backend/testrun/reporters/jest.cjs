// A Jest reporter that writes one line of JSON for each event, so that a crash loses nothing.

const write = require('./report.cjs').open();

const id = (test, result) => [test.path, ...(result.ancestorTitles ?? []), result.title].join(' > ');
const statuses = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' };

module.exports = class {
  onTestCaseStart(test, info) {
    write({ event: 'start', id: id(test, info) });
  }

  onTestCaseResult(test, result) {
    write({ event: 'done', id: id(test, result) });
  }

  onTestResult(test, file) {
    if (file.testExecError || file.testResults.length === 0) {
      write({ event: 'test', id: test.path, status: 'error', text: file.failureMessage ?? file.testExecError?.message ?? '' });
    }
    for (const result of file.testResults) {
      const status = statuses[result.status];
      if (!status) continue;
      write({ event: 'test', id: id(test, result), status, ms: Math.round(result.duration ?? 0), text: (result.failureMessages ?? []).join('\n') });
    }
  }

  onRunComplete() {
    write({ event: 'end' });
  }
};
