/**
 * A part of what runs inside the VM before a script: notes rejected promises that nobody handles, because the
 * engine tells nobody of them. It reads a promise's constructor whenever one is awaited or chained, which counts
 * as handled. Not seen is the promise of an async function that nobody looks at, but for those in forEach and
 * map.
 * Leaves `Native`, `thenOf`, `note`, `rejected`, `afterSteps` and `STEPS` behind.
 */
export const WATCHED_PROMISES = `
const Native = Promise;
const nativeThen = Native.prototype.then;
const isIn = Function.prototype.call.bind(WeakSet.prototype.has);
const putIn = Function.prototype.call.bind(WeakSet.prototype.add);
const seen = new WeakSet();
const rejected = new Map();
let isOurs = false;
const see = (promise) => {
  if (isOurs || typeof promise !== 'object' || promise === null) return;
  putIn(seen, promise);
  if (rejected.size > 0) rejected.delete(promise);
};
Object.defineProperty(Native.prototype, 'constructor', {
  get() {
    see(this);
    return Native;
  },
  configurable: false,
});
/** A script that makes more promises than this at once is told of the first ones. */
const MOST_WATCHED = 10000;
let watching = 0;
const note = (promise, reason) => { if (rejected.size < MOST_WATCHED && !isIn(seen, promise)) rejected.set(promise, reason); };
const thenOf = (promise, onValue, onError) => {
  isOurs = true;
  try { return Reflect.apply(nativeThen, promise, [onValue, onError]); } finally { isOurs = false; }
};
const watched = (promise) => {
  // What a class of the script makes on the way is not watched: it would be without end.
  if (isOurs || watching >= MOST_WATCHED || !(promise instanceof Native)) return promise;
  watching += 1;
  thenOf(promise, () => { watching -= 1; }, (reason) => { watching -= 1; note(promise, reason); });
  return promise;
};
const methods = {
  then(onValue, onError) {
    see(this);
    return watched(Reflect.apply(nativeThen, this, [onValue, onError]));
  },
};
Native.prototype.then = methods.then;
function Watched(executor) {
  if (new.target === undefined) throw new TypeError('Promise is made with new');
  return watched(Reflect.construct(Native, [executor], new.target === Watched ? Native : new.target));
}
for (const key of Reflect.ownKeys(Native)) {
  if (key === 'prototype') continue;
  const facts = Object.getOwnPropertyDescriptor(Native, key);
  if (typeof facts.value === 'function') {
    const work = facts.value;
    facts.value = { [key](...values) { return watched(Reflect.apply(work, this === Watched ? Native : this, values)); } }[key];
  }
  Object.defineProperty(Watched, key, { ...facts, configurable: true });
}
const { withResolvers } = Watched;
Object.defineProperty(Watched, 'withResolvers', {
  value: { withResolvers() {
    const made = Reflect.apply(withResolvers, this, []);
    watched(made.promise);
    return made;
  } }.withResolvers,
});
Object.defineProperty(Watched, 'prototype', { value: Native.prototype, writable: false });
globalThis.Promise = Watched;
/** It drops what an async function gives it, so nobody else could handle a rejection. */
for (const proto of [Array.prototype, Map.prototype, Set.prototype]) {
  const work = proto.forEach;
  const { forEach } = {
    forEach(each, self) {
      const kept = typeof each === 'function' ? function (...values) { watched(Reflect.apply(each, this, values)); } : each;
      return Reflect.apply(work, this, [kept, self]);
    },
  };
  Object.defineProperty(proto, 'forEach', { value: forEach });
}
const nativeMap = Array.prototype.map;
const { map } = {
  map(each) {
    const made = Reflect.apply(nativeMap, this, arguments);
    if (made[0] instanceof Native) for (let at = 0; at < made.length; at += 1) watched(made[at]);
    return made;
  },
};
Object.defineProperty(Array.prototype, 'map', { value: map });
/** Of what is settled a few steps after the script itself; the rest counts as not awaited. */
const STEPS = 8;
const settled = Native.resolve();
const afterSteps = (steps, then) => { if (steps === 0) then(); else thenOf(settled, () => afterSteps(steps - 1, then)); };
`;
