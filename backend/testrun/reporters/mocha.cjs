// A Mocha reporter that writes one line of JSON for each event, so that a crash loses nothing, beside Mocha's own for people.

const write = require('./report.cjs').open();
const { reporters } = require(require.resolve('mocha', { paths: [process.cwd()] }));

const id = (test) => [test.file ?? '', ...test.titlePath()].join(' > ');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const done = (status) => (test, error) =>
      write({ event: 'test', id: id(test), status, ms: Math.round(test.duration ?? 0), text: error ? error.stack || String(error.message ?? error) : '' });
    write({ event: 'collected', collected: runner.total });
    runner.on('test', (test) => write({ event: 'start', id: id(test) }));
    runner.on('pass', done('passed'));
    runner.on('fail', done('failed'));
    runner.on('pending', done('skipped'));
    runner.on('end', () => write({ event: 'end' }));
  }
};
