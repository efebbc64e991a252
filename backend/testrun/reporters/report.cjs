// The sealed report of Jest's and Mocha's reporters; see redgreen_report.py for what the seal is for.

const { createHmac } = require('node:crypto');
const fs = require('node:fs');

const LONGEST = 20000;
const { writeSync } = fs;
const { stringify } = JSON;
const reallyExit = process.reallyExit.bind(process);

exports.open = () => {
  const name = process.env.REDGREEN_REPORT;
  delete process.env.REDGREEN_REPORT;
  const key = fs.readFileSync(name + '.key');
  fs.unlinkSync(name + '.key');
  const file = fs.openSync(name, 'ax', 0o644);
  let seal = '';
  return (event) => {
    if (event.text) event.text = String(event.text).slice(0, LONGEST);
    const text = stringify(event);
    seal = createHmac('sha256', key).update(seal + text).digest('hex');
    const line = Buffer.from(`${seal} ${text}\n`);
    try {
      for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
    } catch {
      reallyExit(74); // EX_IOERR: the disk is full, say; what stands there is not all, and goes for nothing
    }
  };
};
