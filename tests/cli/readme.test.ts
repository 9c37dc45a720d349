/** The README says what the binary does: its commands parse, its exit codes are the real ones. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../../src/base/exit.ts';
import { readOptions } from '../../src/cli/options.ts';
import { parseLine } from '../../src/cli/parse.ts';
import { TOPICS } from '../../src/cli/topics.ts';

const readme = readFileSync(resolve(import.meta.dir, '../../README.md'), 'utf8');
const manifest = JSON.parse(readFileSync(resolve(import.meta.dir, '../../package.json'), 'utf8'));
const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
  (block ?? '').split('\n'),
);
const commands = blocks.flatMap((line) => /(?:^|\| )usher\b([^|#<>]*)/.exec(line)?.[1] ?? []);

test('every usher command in it parses', () => {
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      (match) => match[1] ?? match[2] ?? '',
    );
    expect(() => readOptions(parseLine(words))).not.toThrow();
  }
});

test('every script in it exists', () => {
  const scripts = [...readme.matchAll(/bun@1\.4\.5 run (\w+)/g)].map(([, name]) => name);
  expect(scripts.filter((name) => manifest.scripts[name ?? ''] === undefined)).toEqual([]);
});

test('exit codes in it and in the help topic are all there are', () => {
  const known = Object.values(EXIT).sort((a, b) => a - b);
  const rows = [...readme.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, codes]) =>
    codes?.split(', '),
  );
  const topic = [...(TOPICS['exit-codes'] ?? '').matchAll(/(?<=^ +| {6,})\d+(?= {2})/gm)];
  expect(rows.map(Number)).toEqual(known);
  expect(topic.map(([code]) => Number(code))).toEqual(known);
});

test('an exit code means in the help topic what it means in it', () => {
  const rows = readme.replaceAll('`', '');
  const lines = [...(TOPICS['exit-codes'] ?? '').matchAll(/^ +(\d+) {2}(?!.* {6})(.+)$/gm)];
  expect(lines.length).toBeGreaterThan(10);
  const strangers = lines.filter(([, code, words]) => !rows.includes(`| ${code} | ${words}`));
  expect(strangers.map(([line]) => line)).toEqual([]);
});
