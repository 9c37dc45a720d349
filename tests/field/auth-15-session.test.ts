/** AUTH-15, in a session at a terminal: `/mcp login NAME`, and the tools come alive. */
import { expect, test } from 'bun:test';
import { oauthEntry, openDesk } from '../fixtures/auth/desk.ts';
import { startAuthServer } from '../fixtures/auth/server.ts';
import { startModelServer } from '../fixtures/models/server.ts';
import { scriptedModel } from '../helpers/config.ts';
import { startPty } from '../helpers/pty.ts';
import { callThenAnswer } from '../helpers/scripted-run.ts';

const PROMPT = /\/help lists[^\n]*\n> /;

test('a session names the command, signs in by it, and calls what it has found', async () => {
  await using server = await startAuthServer();
  const steps = [{ text: 'nothing here' }, ...callThenAnswer(['s1_read', {}])];
  const model = await startModelServer({ format: 'openai', script: steps });
  const servers = [oauthEntry('s1', server.url)];
  const desk = openDesk(servers, { model: scriptedModel(model) });
  const { home, env } = desk;
  const config = { servers, model: scriptedModel(model) };
  const session = startPty([], {
    home,
    cwd: home,
    config,
    env: { ...env, BROWSER: desk.browser() },
  });
  try {
    const banner = await session.waitFor(PROMPT);
    expect(banner).toMatch(/mcp login s1/);
    expect(server.authorizations()).toEqual([]);
    session.send('before\r');
    await session.waitFor('nothing here');
    session.send('/mcp login s1\r');
    const outcome = await session.waitFor(/● s1[^\n]*ready/);
    expect(outcome).toContain(`Signed in to s1 by ${server.issuer}`);
    session.send('after\r');
    await session.waitFor('nothing to read');
    session.send('/exit\r');
    expect(await session.exited).toBe(0);
  } finally {
    session.close();
    await model.close();
  }
  const offered = model.requests.map(({ seen }) =>
    seen.tools.some(({ name }) => name === 's1_read'),
  );
  expect(offered).toEqual([false, true, true]);
  expect(server.authorizations()).toHaveLength(1);
  expect((await desk.run(['tools', 's1'])).code).toBe(0);
});

test('one Ctrl-C gives a sign-in up, and what worked before still does', async () => {
  await using server = await startAuthServer();
  const model = await startModelServer({ format: 'openai', script: [] });
  const servers = [oauthEntry('s1', server.url)];
  const desk = openDesk(servers, { model: scriptedModel(model) });
  expect((await desk.run(['mcp', 'login', 's1'])).code).toBe(0);
  const { home, env } = desk;
  desk.manner = 'never';
  const session = startPty([], {
    home,
    cwd: home,
    config: { servers, model: scriptedModel(model) },
    env: { ...env, BROWSER: desk.browser() },
  });
  try {
    await session.waitFor(PROMPT);
    session.send('/mcp login s1\r');
    await session.waitFor('paste: ');
    session.send('\u0003');
    await session.waitFor('cancelled');
    session.send('/mcp\r');
    await session.waitFor(/● s1[^\n]*ready/);
    session.send('/exit\r');
    expect(await session.exited).toBe(0);
  } finally {
    session.close();
    await model.close();
  }
});
