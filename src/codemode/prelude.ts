/**
 * What runs inside the VM before a script: the functions a script sees, and built-ins that cannot be
 * changed. One expression that gives a function of `host`, whose members take and give texts and numbers
 * only. Nothing of the host is reachable from here.
 */
import { WATCHED_PROMISES } from './prelude-promises.ts';

/**
 * Texts around a script that make a function of it. Behind a brace that closes the function early, the object
 * takes only a comma or another brace, the declaration takes neither: what compiles in both did not close it.
 */
export const SCRIPT_OBJECT = ['({async script() {', '\n}})'] as const;
export const SCRIPT_DECLARATION = ['async function script() {', '\n}'] as const;
/** The name of a script in stack lines. */
export const SCRIPT_FILE = 'script.js';

export const PRELUDE = String.raw`(function (host, limits) {
'use strict';
const { stringify, parse } = JSON;
const pending = new Map();
let count = 0;

${WATCHED_PROMISES}
const circularSafe = () => {
  const parents = [];
  return function (key, value) {
    while (parents.length > 0 && parents[parents.length - 1] !== this) parents.pop();
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'symbol') return value.toString();
    if (typeof value === 'function') return '[Function' + (value.name ? ' ' + value.name : '') + ']';
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (parents.includes(value)) return '[Circular]';
    let shown = value;
    if (value instanceof Error) shown = value.name + ': ' + value.message;
    else if (value instanceof Map) shown = { '[Map]': [...value] };
    else if (value instanceof Set) shown = { '[Set]': [...value] };
    else if (value instanceof RegExp) shown = String(value);
    else if (value instanceof Native) shown = '[Promise: await it]';
    if (typeof shown === 'object') parents.push(shown);
    return shown;
  };
};
const show = (value) => {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error) return describe(value).text;
    if (value === undefined) return 'undefined';
    const json = stringify(value, circularSafe());
    return typeof value === 'object' || json === undefined ? String(json) : value !== null && json[0] === '"' ? parse(json) : json;
  } catch (error) {
    return '[a value that cannot be shown: ' + (error && error.message) + ']';
  }
};
const lineOf = (error) => {
  const found = /script\.js:(\d+)/.exec(String(error.stack));
  return found === null ? '' : ' (line ' + found[1] + ')';
};
const describe = (error) => {
  try {
    if (!(error instanceof Error)) return { text: 'thrown: ' + show(error), name: '' };
    const causes = error instanceof AggregateError ? [...error.errors].slice(0, 10).map((one) => describe(one).text) : [];
    const message = [String(error.message), ...causes].filter((one) => one !== '').join('; ').slice(0, 20000);
    return { text: error.name + ': ' + message + lineOf(error), name: String(error.name) };
  } catch {
    return { text: 'thrown: a value that cannot be shown', name: '' };
  }
};
const emitted = { console: 0, output: 0 };
let lost = 0;
/** What nobody can take any more is only counted. */
const lose = () => {
  lost += 1;
  if (lost % 1000 === 0) host.lost(1000);
};
const isOver = (channel) => {
  emitted[channel] += 1;
  if (emitted[channel] <= limits.outputItems) return false;
  lose();
  return true;
};
const emit = (kind, text) => {
  const isCut = text.length > limits.outputCharacters;
  if (isCut) lose();
  // A part of an image is none.
  if (isCut && kind.includes('/')) return;
  host.emit(kind, (isCut ? text.slice(0, limits.outputCharacters) : text).toWellFormed());
};
const ask = (what, values) => {
  const waiting = { promise: undefined, resolve: undefined, reject: undefined };
  // Taken first: values of a script may ask themselves while they are read.
  count += 1;
  const id = count;
  let json;
  try { json = stringify([id, what, values]); } catch (error) { return watched(Native.reject(error)); }
  waiting.promise = new Native((resolve, reject) => {
    waiting.resolve = resolve;
    waiting.reject = reject;
    pending.set(id, waiting);
    host.request(json);
  });
  return waiting.promise;
};
const toError = (value) => {
  const error = new Error(value.message);
  const fields = { name: value.name || 'Error', kind: value.kind, tool: value.tool, result: value.result };
  for (const key of Object.keys(fields)) {
    if (fields[key] === undefined) continue;
    Object.defineProperty(error, key, { value: fields[key], enumerable: key !== 'name', writable: true, configurable: true });
  }
  return error;
};

const text = (value) => { if (!isOver('output')) emit('text', show(value)); };
const IMAGE = /^data:(image\/(?:png|jpeg|gif|webp));base64,([A-Za-z0-9+\/_=\s-]*)$/;
const image = (value) => {
  let url = value;
  if (typeof value === 'object' && value !== null) {
    if (value.type === 'image' && typeof value.data === 'string') url = 'data:' + value.mimeType + ';base64,' + value.data;
    else url = typeof value.image_url === 'object' && value.image_url !== null ? value.image_url.url : value.image_url;
  }
  const found = typeof url === 'string' ? IMAGE.exec(url) : null;
  if (found === null) throw new TypeError('image() takes a data URL, {image_url} or an image block: png, jpeg, gif or webp');
  if (!isOver('output')) emit(found[1], found[2]);
};
const say = (...values) => { if (!isOver('console')) emit('console', values.map(show).join(' ')); };
const console = Object.freeze({ log: say, info: say, warn: say, error: say, debug: say, trace: say, dir: (value) => say(value), table: (value) => say(value) });
const exit = () => { host.lost(lost % 1000); host.exit(); for (;;); };
const keyOf = (key) => {
  if (typeof key !== 'string') throw new TypeError('a key of store() and load() is a string');
  return key;
};
const store = (key, value) => {
  const json = stringify(value);
  if (json !== undefined && json.length > limits.storeValueCharacters) {
    throw new RangeError('store(): a value has at most ' + limits.storeValueCharacters + ' characters as JSON, this one ' + json.length);
  }
  const problem = json === undefined ? host.save(keyOf(key)) : host.save(keyOf(key), json);
  if (problem !== '') throw new RangeError(problem);
};
const load = (key) => {
  const json = host.load(keyOf(key));
  return json === '' ? undefined : parse(json);
};

const toolFunction = (server, name) => (args) => ask('call', [server, name, args === undefined ? {} : args]);
const readOnly = (names, get) => ({
  get: (target, key) => (typeof key === 'string' ? target[key] ?? get(target, key) : undefined),
  has: (target, key) => typeof key === 'string' && names().has(key),
  ownKeys: () => [...names()],
  getOwnPropertyDescriptor: (target, key) =>
    names().has(key) ? { value: get(target, key), enumerable: true, configurable: true, writable: false } : undefined,
  set() { throw new TypeError('tools cannot be changed'); },
  defineProperty() { throw new TypeError('tools cannot be changed'); },
  deleteProperty() { throw new TypeError('tools cannot be changed'); },
  setPrototypeOf() { throw new TypeError('tools cannot be changed'); },
  preventExtensions() { return false; },
});
const cached = (target, key, make) => {
  if (!Object.hasOwn(target, key)) target[key] = make();
  return target[key];
};
/** The engine itself looks for these, and calls what it finds: in an await, and in JSON. */
const isReadUnasked = (key) => key === 'then' || key === 'toJSON';
const namesOf = new Map();
/** They stay the same while a script runs. */
const namesIn = (server) => {
  if (!namesOf.has(server)) namesOf.set(server, new Set(parse(host.names(server))));
  return namesOf.get(server);
};
const namespace = (server) =>
  new Proxy(Object.create(null), readOnly(() => namesIn(server), (target, key) =>
    isReadUnasked(key) && !namesIn(server).has(key) ? undefined : cached(target, key, () => toolFunction(server, key))));
const tools = new Proxy(Object.create(null), readOnly(() => namesIn(''), (target, key) =>
  cached(target, key, () => {
    const server = host.namespace(key);
    if (server !== '') return namespace(server);
    return isReadUnasked(key) && !namesIn('').has(key) ? undefined : toolFunction('', key);
  })));

const wanted = (value, what) => {
  if (typeof value !== 'string') throw new TypeError(what + ' is a string');
  return value;
};
const question = (what, values) => {
  try { return ask(what, values()); } catch (error) { return watched(Native.reject(error)); }
};
const searchTools = (query, options) =>
  question('search', () => {
    const { limit = 8, namespace: inside } = options ?? {};
    return [wanted(query, 'the query of searchTools()'), limit, inside];
  });
const describeTool = (name) => question('describe', () => [wanted(name, 'the name of describeTool()')]);
const describeNamespace = (name) => question('namespace', () => [wanted(name, 'the name of describeNamespace()')]);

let all;
const globals = { tools, text, image, console, exit, store, load, searchTools, describeTool, describeNamespace };
if (limits.given !== undefined) {
  globals.args = Object.freeze([...limits.given.args]);
  globals.input = limits.given.input;
}
for (const [key, value] of Object.entries(globals)) {
  if (typeof value === 'function') Object.freeze(value);
  Object.defineProperty(globalThis, key, { value, enumerable: true });
}
Object.defineProperty(globalThis, 'ALL_TOOLS', {
  enumerable: true,
  get() {
    all ??= Object.freeze(parse(host.catalogue()).map(Object.freeze));
    return all;
  },
});

delete globalThis.eval;
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
const mendOverrides = (proto) => {
  for (const key of Reflect.ownKeys(proto)) {
    const { value, configurable, writable } = Object.getOwnPropertyDescriptor(proto, key);
    if (!configurable || !writable) continue;
    Object.defineProperty(proto, key, {
      get() { return value; },
      set(given) {
        if (this === proto) throw new TypeError('built-ins cannot be changed');
        Object.defineProperty(this, key, { value: given, enumerable: true, configurable: true, writable: true });
      },
      enumerable: false, configurable: false,
    });
  }
};
const roots = [Native];
for (const key of Reflect.ownKeys(globalThis)) {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, key);
  if (!('value' in descriptor) || descriptor.value === globalThis) continue;
  if (isObject(descriptor.value)) roots.push(descriptor.value);
  if (descriptor.configurable) Object.defineProperty(globalThis, key, { writable: false, configurable: false });
}
const samples = [
  async () => {}, function* () {}, async function* () {}, [][Symbol.iterator](), new Map()[Symbol.iterator](),
  new Set()[Symbol.iterator](), ''[Symbol.iterator](), 'a'.matchAll(/a/g), new Uint8Array(0),
];
for (const sample of samples) {
  for (let proto = Object.getPrototypeOf(sample); proto !== null; proto = Object.getPrototypeOf(proto)) {
    roots.push(proto);
    if (typeof proto.constructor === 'function') roots.push(proto.constructor);
  }
}
const prototypes = roots.filter((root) => typeof root === 'function' && isObject(root.prototype)).map((root) => root.prototype);
for (const proto of prototypes) {
  if (proto === Object.prototype || proto instanceof Error || proto === Error.prototype) mendOverrides(proto);
}
for (const root of [...roots, ...prototypes]) if (root !== tools) Object.freeze(root);

const finish = (isOk, text, name) => { host.lost(lost % 1000); host.done(isOk, text.toWellFormed(), name); };
const complete = () => {
  if (rejected.size === 0) return finish(1, '', '');
  const { text, name } = describe(rejected.values().next().value);
  const more = rejected.size === 1 ? '' : ' (and ' + (rejected.size - 1) + ' more)';
  finish(0, 'unhandled rejection: ' + text + more, name);
};
return {
  run(main) {
    thenOf(
      main(),
      (value) => { if (value !== undefined) text(value); afterSteps(STEPS, complete); },
      (error) => { const { text, name } = describe(error); finish(0, text, name); },
    );
  },
  deliver(json) {
    const answer = parse(json);
    const id = answer[0];
    const waiting = pending.get(id);
    if (waiting === undefined) return;
    pending.delete(id);
    if (answer[1] === 1) return void waiting.resolve(answer[2]);
    const error = toError(answer[2]);
    note(waiting.promise, error);
    waiting.reject(error);
  },
};
})`;
