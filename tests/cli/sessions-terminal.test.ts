/** A session at a terminal is saved, and gone on with by its name or as the newest. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { startPty } from '../helpers/pty.ts';

const PROMPT = /\/help lists[^\n]*\n> /;

test('what was said is known to the next session, and --ephemeral leaves nothing', async () => {
  const model = await startModelServer({
    format: 'openai',
    script: [{ text: 'first answer' }, { text: 'second answer' }, { text: 'third answer' }],
  });
  const home = newFolder();
  const places = { home, cwd: home, config: { model: scriptedModel(model), servers: [] } };
  const talk = async (flags: readonly string[], text: string, answer: string) => {
    const session = startPty(flags, places);
    try {
      const start = await session.waitFor(PROMPT);
      session.send(`${text}\r`);
      await session.waitFor(answer);
      session.send('/exit\r');
      expect(await session.exited).toBe(0);
      return start;
    } finally {
      session.close();
    }
  };
  const sessions = join(home, '.local/state/usher/sessions');
  try {
    await talk(['--ephemeral'], 'secret plan', 'first answer');
    expect(existsSync(join(home, '.local/state/usher/history'))).toBe(false);
    expect(existsSync(sessions)).toBe(false);
    const start = await talk([], 'remember me', 'second answer');
    const [, id = ''] =
      /saved as session (\S+);\s+usher --session \1 goes on\s+with\s+it\r?\n/.exec(start) ?? [];
    expect(readdirSync(sessions)).toEqual([`${id}.jsonl`]);
    const again = await talk(['sessions', 'resume', id], 'who am I?', 'third answer');
    expect(again).toContain(`saved as session ${id}, 2 messages so far;`);
    expect(model.requests.map(({ seen }) => seen.turns.length)).toEqual([1, 1, 3]);
    expect(JSON.stringify(model.requests[2]?.seen.turns)).toContain('remember me');
  } finally {
    await model.close();
  }
}, 30_000);
