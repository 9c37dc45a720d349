/** Config files for the binary under test. JSON is YAML, so plain objects are written as JSON. */
import { join, resolve } from 'node:path';
import type { StdioScript } from '../fixtures/servers/stdio.ts';
import { writeFiles } from './places.ts';

const stdioProgram = resolve(import.meta.dir, '../fixtures/servers/stdio.ts');

export interface ConfigShape {
  readonly model?: object;
  readonly mcp?: object;
  readonly servers?: readonly object[];
  readonly rules?: readonly object[];
  readonly hooks?: object;
}

/** Writes `config.yaml` into a folder: text as it is, an object as JSON. Returns its path. */
export function writeConfig(folder: string, config: ConfigShape | string): string {
  const text = typeof config === 'string' ? config : JSON.stringify(config, undefined, 2);
  writeFiles(folder, { 'config.yaml': text });
  return join(folder, 'config.yaml');
}

/** The `model:` block for a scripted server that speaks chat completions. */
export function scriptedModel(server: { readonly baseUrl: string }): object {
  return { provider: 'openai-compatible', name: 'scripted', baseUrl: server.baseUrl };
}

/** A server entry that starts the stdio fixture with a script. */
export function stdioServer(name: string, script: StdioScript = {}, more: object = {}): object {
  return { name, ...stdioCommand(script), ...more };
}

/** `command` and `args` of the stdio fixture. */
export function stdioCommand(script: StdioScript = {}): { command: string; args: string[] } {
  return { command: process.execPath, args: [stdioProgram, JSON.stringify(script)] };
}
