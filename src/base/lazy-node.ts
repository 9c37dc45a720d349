/** Modules of the runtime that cost about a millisecond each when they are imported at start (Bun 1.4.5). */

export function fsPromises(): typeof import('node:fs/promises') {
  return process.getBuiltinModule('node:fs/promises');
}

export function nodeUrl(): typeof import('node:url') {
  return process.getBuiltinModule('node:url');
}
