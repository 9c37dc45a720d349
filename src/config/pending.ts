/** What a server of a project file would do if it were approved, for the person who decides. */

import { shellWord } from '../base/shell.ts';
import { maskWords } from './mask.ts';
import { isOff, type MergedServer } from './merge.ts';
import { isOnlyReferences } from './secret-names.ts';
import { plainValue, signatureOf } from './signature.ts';
import type { ConfigWarning, PendingServer } from './types.ts';

/** Facts and question of one server that nobody approved. */
export function pendingServer(server: MergedServer): PendingServer {
  const { name, base, approval } = server;
  const { line } = base.file.lineAt(base.file.offsetOf(base.path));
  return {
    name,
    file: base.source.path,
    place: `${base.source.label}:${line}`,
    state: approval === 'rejected' || approval === 'changed' ? approval : 'pending',
    enabled: !isOff(server),
    signature: typeof base.raw === 'object' && base.raw !== null ? signatureOf(base.raw) : '',
    facts: [...factsOf(server.raw), ...replacedFacts(server)],
  };
}

/** One warning for each server that waits; a rejected or switched off one is no news. */
export function pendingWarnings(pending: readonly PendingServer[]): readonly ConfigWarning[] {
  return pending
    .filter(({ state, enabled }) => enabled && state !== 'rejected')
    .map(({ name, place, state }) => ({
      message:
        state === 'changed'
          ? `${place}: server ${name} has changed since you decided on it and is not started (pending approval)`
          : `${place}: server ${name} is not started: a project file needs your approval (pending approval)`,
      hint: `usher mcp approve ${name}, or --approve ${name} for this run`,
      skipped: undefined,
      pending: name,
    }));
}

/** An own server of the same name would give way: nobody approves that by accident. */
function replacedFacts({ replaced }: MergedServer): PendingServer['facts'] {
  const own = replaced.findLast(({ source }) => source.scope !== 'project');
  if (own === undefined) return [];
  const { line } = own.file.lineAt(own.file.offsetOf(own.path));
  return [['in place of', `your own server of that name, ${own.source.label}:${line}`]];
}

/** Longest fact, characters: more is told as a number. */
const MAX_FACT = 4000;

/**
 * Command line or URL first. Variables with their values, for some of them run code (NODE_OPTIONS); of headers
 * the values where nothing but references is in them. What is secret by its name or looks is masked.
 */
function factsOf(raw: unknown): PendingServer['facts'] {
  if (typeof raw !== 'object' || raw === null) return [];
  const all: [string, unknown][] = Object.entries(raw);
  const entry = new Map(all);
  const facts: [string, string][] = [];
  const command = entry.get('command');
  const args = entry.get('args');
  if (command !== undefined) {
    const words = [command, ...(Array.isArray(args) ? args : [])];
    // Where one argument ends is part of what is approved.
    facts.push(['command', words.map((word) => shellWord(String(plainValue(word)))).join(' ')]);
  }
  if (entry.has('url')) facts.push(['url', String(plainValue(entry.get('url')))]);
  for (const [key, value] of all) {
    if (['name', 'command', 'args', 'url', 'description', 'timeout'].includes(key)) continue;
    facts.push([key, pairsOf(key, value)]);
  }
  return facts.map(([key, text]) => [
    key,
    bounded(maskWords(text.slice(0, 2 * MAX_FACT)), text.length),
  ]);
}

function pairsOf(key: string, value: unknown): string {
  if ((key !== 'env' && key !== 'headers') || typeof value !== 'object' || value === null) {
    return textOf(value);
  }
  const pairs = Object.entries(value).map(([name, inner]): string => {
    const text = textOf(inner);
    if (key === 'env') return `${name}=${shellWord(text)}`;
    return isOnlyReferences(text) ? `${name}: ${text}` : name;
  });
  return pairs.join(key === 'env' ? ' ' : ', ');
}

function textOf(value: unknown): string {
  const plain = plainValue(value);
  return typeof plain === 'string' ? plain : JSON.stringify(plain);
}

function bounded(text: string, length: number): string {
  if (length <= MAX_FACT) return text;
  return `${text.slice(0, MAX_FACT)} … and ${length - MAX_FACT} more characters`;
}
