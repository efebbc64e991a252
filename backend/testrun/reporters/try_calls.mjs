// Calls the functions of files that have marks (try_ecma.go), for try_compare.mjs: records with what the tests call them, or says what
// they give for inputs. It works in a process of its own and writes a line of JSON for each thing that it has to say at
// once, so that what is known stays known where the code under test never ends, ends the process or spoils what Node has.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import vm from 'node:vm';

import { prepare } from './try_load.mjs';

const MOST_EACH = 6; // calls that one test adds
const LONG = 3000; // characters of a call
const DEEP = 6;
const MOST_PARTS = 3000; // of one value
const MOST_ITEMS = 1000; // of a generator
const MOST_HUNG = 4;
const QUICK = 300; // milliseconds of a call
const SLOW = 2500; // where the processor was busy with others
const LATE = 600; // until what waits has its end
const SHOWN = 160;

const [, , mode, root, dir, orderFile, outFile] = process.argv;
const order = JSON.parse(fs.readFileSync(orderFile, 'utf8'));
const out = fs.openSync(outFile, 'a');
const { stringify } = JSON;
const say = fs.writeSync;
const tell = (...message) => { say(out, `${stringify(message)}\n`); };
const exit = process.exit.bind(process);

// What has marks.

const units = new Map(); // file:name → { key, called, method, holder, target }
const classes = new Map(); // file:name → class, or function that may be one
const prototypes = new WeakMap(); // prototype → file:name
const ours = new WeakSet(); // the proxies
let called = () => {};
const isClass = (f) => /^class\b/.test(Function.prototype.toString.call(f));
const isPlain = (v) => typeof v === 'object' && v !== null && !types.isProxy(v) && [Object.prototype, null].includes(Object.getPrototypeOf(v));

function known(key, f) {
  classes.set(key, f);
  if (typeof f.prototype === 'object' && f.prototype) prototypes.set(f.prototype, key);
}

function watched(unit) {
  units.set(unit.key, unit);
  const proxy = new Proxy(unit.target, { apply: (target, self, args) => called(unit, self, args) });
  ours.add(proxy);
  return proxy;
}

/** Puts proxies in the place of the functions that an object or class has. */
function members(file, name, object, more) {
  for (const key of Object.getOwnPropertyNames(object)) {
    const p = Object.getOwnPropertyDescriptor(object, key);
    if (key === 'constructor' || typeof p.value !== 'function' || !p.configurable || ours.has(p.value) || isClass(p.value)) continue;
    const owner = name === 'exports' || name === 'default' ? '' : `${name}.`;
    Object.defineProperty(object, key, { ...p, value: watched({ key: `${file}:${name}.${key}`, called: more.method ? `.${key}` : owner + key, target: p.value, ...more }) });
  }
}

Object.defineProperty(globalThis, '__redgreen', { value(file, name, value) {
  try {
    if (typeof value === 'function' && !ours.has(value)) {
      known(`${file}:${name}`, value);
      if (isClass(value)) {
        members(file, name, value.prototype, { method: true });
        members(file, name, value, { holder: value });
        return value;
      }
      const method = name.includes('.');
      const own = method ? `.${name.split('.').at(-1)}` : name === 'exports' || name === 'default' ? value.name || path.parse(file).name : name;
      return watched({ key: `${file}:${name}`, called: own, method, target: value });
    }
    if (isPlain(value)) members(file, name, value, { holder: value });
  } catch { /* it stays as it is */ }
  return value;
} });

// Values as data.

const no = new Error('cannot be written down');

function encode(value, deep = 0) {
  const kind = value === null ? 'null' : typeof value;
  if (['null', 'undefined', 'boolean', 'string'].includes(kind)) return { k: kind, v: value };
  if (kind === 'number' || kind === 'bigint') return { k: kind, v: Object.is(value, -0) ? '-0' : String(value) };
  if (kind !== 'object' || deep > DEEP || types.isProxy(value)) throw no;
  const within = (v) => encode(v, deep + 1);
  const fields = () => Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, p]) => p.enumerable).map(([key, p]) => {
    if (!('value' in p)) throw no;
    return [key, within(p.value)];
  });
  const proto = Object.getPrototypeOf(value);
  if (Array.isArray(value) && proto === Array.prototype) return { k: 'array', v: Array.from(value, within) };
  if (proto === Map.prototype) return { k: 'map', v: [...value].map(([a, b]) => [within(a), within(b)]) };
  if (proto === Set.prototype) return { k: 'set', v: [...value].map(within) };
  if (proto === Date.prototype) return { k: 'date', v: value.getTime() };
  if (proto === RegExp.prototype) return { k: 'regexp', v: value.source, f: value.flags };
  if (proto === Object.prototype || proto === null) return { k: 'object', v: fields() };
  const of = prototypes.get(proto);
  if (!of || /\.#[A-Za-z_$]/.test(Function.prototype.toString.call(classes.get(of)))) throw no; // private fields are not seen
  return { k: 'instance', c: of, v: fields() };
}

function decode({ k, v, c, f }) {
  if (k === 'number') return Number(v);
  if (k === 'bigint') return BigInt(v);
  if (k === 'undefined') return undefined;
  if (k === 'array') return v.map(decode);
  if (k === 'map') return new Map(v.map((pair) => pair.map(decode)));
  if (k === 'set') return new Set(v.map(decode));
  if (k === 'date') return new Date(v);
  if (k === 'regexp') return new RegExp(v, f);
  if (k !== 'object' && k !== 'instance') return v;
  const object = k === 'object' ? {} : Object.create(classes.get(c).prototype);
  for (const [key, field] of v) Object.defineProperty(object, key, { value: decode(field), writable: true, enumerable: true, configurable: true });
  return object;
}

/** A value as a text that is the same for the same; seen.unknown says that it holds what has no such text. */
function plainly(value, seen = { left: MOST_PARTS, above: [], unknown: false }) {
  const kind = typeof value;
  if (kind === 'string') return JSON.stringify(value.length > 20_000 ? `${value.slice(0, 9000)}…${value.length}…${value.slice(-9000)}` : value);
  if (kind === 'number') return String(Number.isInteger(value) || !Number.isFinite(value) ? value + 0 : Number(value.toPrecision(12)));
  if (kind === 'bigint') return `${value}n`;
  if (kind === 'symbol') return String(value);
  if (kind === 'function' || kind === 'object' && types.isProxy(value)) {
    seen.unknown = true;
    return kind === 'function' ? 'a function' : 'a proxy';
  }
  if (kind !== 'object' || value === null) return String(value);
  if (seen.above.includes(value)) return '…';
  if (seen.above.length > DEEP || (seen.left -= 1) < 0) return '…';
  seen.above.push(value);
  try {
    return parts(value, (v) => plainly(v, seen), seen);
  } finally {
    seen.above.pop();
  }
}

function parts(value, within, seen) {
  const some = (all) => { const list = [...all].slice(0, MOST_ITEMS); return `${list.join(', ')}${list.length < (all.length ?? all.size) ? ', …' : ''}`; };
  if (Array.isArray(value)) return `[${some(Array.prototype.slice.call(value, 0, MOST_ITEMS).map(within))}${value.length > MOST_ITEMS ? `, … ${value.length}` : ''}]`;
  const name = Object.getPrototypeOf(value)?.constructor?.name;
  const titled = typeof name === 'string' && name !== 'Object' ? `${name} ` : '';
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
  if (types.isRegExp(value)) return String(value);
  if (types.isMap(value)) return `Map {${some([...value].map(([a, b]) => `${within(a)} => ${within(b)}`))}}`;
  if (types.isSet(value)) return `Set {${some([...value].map(within))}}`;
  if (types.isNativeError(value)) return `${titled}${JSON.stringify(String(value.message))}`;
  if (ArrayBuffer.isView(value)) return `${titled}[${some(Array.from(new Uint8Array(value.buffer, value.byteOffset, Math.min(value.byteLength, MOST_ITEMS))))}]`;
  if (types.isBoxedPrimitive(value)) return `${titled}${within(value.valueOf())}`;
  if (types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value)) seen.unknown = true;
  const fields = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, p]) => p.enumerable).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${titled}{${some(fields.map(([key, p]) => `${key}: ${'value' in p ? within(p.value) : '…'}`))}}`;
}

const short = (text) => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`);

// With what the tests call.

async function record() {
  const { shim, load } = await prepare(root, dir);
  const changed = new Set(order.changed);
  const skip = new Set(order.skip);
  const told = new Map();
  const above = []; // the units that are being called
  let file = '';
  const id = (names) => [file, ...names].join(' > ');
  called = (unit, self, args) => {
    const by = above.at(-1);
    const names = shim.current();
    if (names && (!by || changed.has(unit.key) && !changed.has(by.key))) { // what is changed is looked at wherever it is called, but for its own calls
      const test = id(names);
      try {
        const one = { unit: unit.key, called: unit.called, args: args.map((a) => encode(a)), self: unit.method ? encode(self) : undefined };
        if ((told.get(test) ?? 0) < MOST_EACH && JSON.stringify(one).length <= LONG) {
          told.set(test, (told.get(test) ?? 0) + 1);
          tell('call', test, one);
        }
      } catch { /* what it is called with cannot be made again */ }
    }
    above.push(unit);
    try {
      return Reflect.apply(unit.target, self, args);
    } finally {
      above.pop();
    }
  };
  for (file of order.tests) {
    shim.begin(() => {}, (names) => {
      if (skip.has(id(names))) return false;
      tell('start', id(names));
      return true;
    });
    await load(file, 0);
  }
}

// What is given for inputs.

let job = () => {};
Object.defineProperty(globalThis, '__redgreenJob', { value: () => job() });
const script = new vm.Script('globalThis.__redgreenJob()');
const OVER = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Does what takes at most so many milliseconds; a loop without end is stopped. */
function within(milliseconds, work) {
  job = work;
  return script.runInThisContext({ timeout: milliseconds });
}

async function settled(promise) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(Object.assign(new Error('no end'), { code: OVER, late: true })), LATE); });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function call({ unit: key, self, args }) {
  const unit = units.get(key);
  if (!unit) throw new ReferenceError(key);
  return { unit, self: unit.holder ?? (self ? decode(self) : undefined), args: args.map(decode) };
}

const iterated = (v) => { const all = []; for (const item of v) if (all.push(item) >= MOST_ITEMS) break; return all; };

function thrown(error) {
  if (error?.code === OVER) return ['!hangs', error.late ? 'no end of waiting' : 'no end'];
  if (error instanceof RangeError && /call stack/.test(error.message)) return ['!RecursionError', 'no end of recursion'];
  const name = error instanceof Error ? String(error.name) : `throws ${plainly(error)}`;
  return [`!${name}`, name];
}

async function fate(input, milliseconds) {
  let touches = false;
  try {
    const { unit, self, args } = call(input);
    const given = plainly(args);
    let got = within(milliseconds, () => {
      const v = Reflect.apply(unit.target, self, args);
      return types.isGeneratorObject(v) && typeof v[Symbol.iterator] === 'function' ? iterated(v) : v;
    });
    if (types.isPromise(got)) got = await settled(got);
    const seen = { left: MOST_PARTS, above: [], unknown: false };
    const [result, after, mine] = within(milliseconds, () => [plainly(got, seen), plainly(args, seen), unit.method ? plainly(self, seen) : '']);
    touches = after !== given;
    const shown = touches ? `${result} and changes what it is given to ${after.slice(1, -1)}` : result;
    return [seen.unknown ? '?' : createHash('sha1').update(`${result}\n${after}\n${mine}`).digest('hex').slice(0, 12), short(shown), touches];
  } catch (error) {
    try {
      return [...within(milliseconds, () => thrown(error)), touches];
    } catch {
      return ['!', 'something odd', touches];
    }
  }
}

async function behave() {
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  process.chdir(dir);
  const reached = new Set();
  called = (unit, self, args) => {
    reached.add(unit.key);
    return Reflect.apply(unit.target, self, args);
  };
  for (const file of order.files) await import(pathToFileURL(path.join(root, file)).href);
  tell('ready');
  let hung = 0;
  for (let i = order.from; i < order.inputs.length && hung <= MOST_HUNG; i++) {
    reached.clear();
    const used = process.cpuUsage();
    let [got, shown, touches] = await fate(order.inputs[i], QUICK);
    const { user, system } = process.cpuUsage(used);
    if (shown === 'no end' && user + system < QUICK * 500) [got, shown, touches] = await fate(order.inputs[i], SLOW);
    if (got === '!hangs') hung += 1;
    tell('fate', i, got, shown, touches, [units.has(order.inputs[i].unit) ? order.inputs[i].unit : '', ...reached]);
  }
}

await { record, behave }[mode]();
tell('done');
exit(0);
