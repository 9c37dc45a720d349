/** What server-everything asks of its client, answered through the binary. */
import { expect, test } from 'bun:test';
import { realpathSync } from 'node:fs';
import { peerCommand } from '../helpers/peer.ts';
import { runUsher } from '../helpers/usher.ts';

const config = { servers: [{ name: 'all', ...peerCommand('everything', 'stdio') }] };
const call = (words: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  runUsher(['call', 'all', ...words], { config, files });

test('a form with every kind of field is answered from a file, defaults filled in', async () => {
  const answers =
    '- {match: "Please provide*", action: accept, content: {name: Ada, check: true, integer: 7, titledMultipleSelectEnum: [fish-2, fish-3]}}';
  const { code, stdout } = await call(['trigger-elicitation-request', '--elicit', 'answers.yaml'], {
    'answers.yaml': answers,
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout.slice(stdout.indexOf('Raw result: ') + 12))).toEqual({
    action: 'accept',
    content: {
      name: 'Ada',
      check: true,
      firstLine: 'It was a dark and stormy night.',
      integer: 7,
      number: 3.14,
      untitledSingleSelectEnum: 'Monica',
      untitledMultipleSelectEnum: ['Guitar'],
      titledSingleSelectEnum: 'hero-1',
      titledMultipleSelectEnum: ['fish-2', 'fish-3'],
      legacyTitledEnum: 'pet-1',
    },
  });
});

test('accept without the required name is a decline, and nobody there a cancel', async () => {
  const accept = await call(['trigger-elicitation-request', '--elicit', 'accept']);
  expect(accept.stdout).toContain('"action": "decline"');
  expect(accept.stderr).toContain('name: it is required');
  const nobody = await call(['trigger-elicitation-request']);
  expect(nobody.stdout).toContain('"action": "cancel"');
});

test('an address is accepted, asked for by a request', async () => {
  const { code, stdout, stderr } = await call([
    'trigger-url-elicitation',
    'url=https://a.example/x',
    '--elicit',
    'accept',
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('"action": "accept"');
  expect(stderr).toContain('open https://a.example/x');
});

test('the working directory is the root, and the tool for sampling is not even offered', async () => {
  const { stdout, cwd } = await call(['get-roots-list']);
  expect(stdout).toContain(`file://${realpathSync(cwd)}`);
  const tools = await runUsher(['tools', 'all'], { config });
  expect(tools.stdout).not.toContain('trigger-sampling-request');
});
