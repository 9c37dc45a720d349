/** One script as a model sends it, and with `usher run`: what the model or the shell gets of it. */

import { type HttpScript, startMcpServer } from '../fixtures/servers/http.ts';
import { standardTools } from '../fixtures/servers/script.ts';
import { runScripted, toolTexts } from '../helpers/scripted-run.ts';
import { runUsher, type UsherOutcome } from '../helpers/usher.ts';

export interface ModelScript extends UsherOutcome {
  /** What the model was told of each script, in order. */
  readonly results: readonly string[];
}

/** Scripts in one session, one after the other; its server `s1` is for scripts only. */
export async function runForModel(
  codes: readonly string[],
  script: HttpScript = { tools: standardTools },
): Promise<ModelScript> {
  await using server = await startMcpServer(script);
  const calls = codes.map((code) => ({
    toolCalls: [{ name: 'codemode', arguments: JSON.stringify({ code }) }],
  }));
  const run = await runScripted({
    servers: [{ name: 's1', url: server.url, exposure: 'codemode' }],
    steps: [...calls, { text: 'done' }],
    timeoutMs: 60_000,
  });
  return { ...run, results: toolTexts(run.requests) };
}

export async function runForPerson(
  code: string,
  script: HttpScript = { tools: standardTools },
): Promise<UsherOutcome> {
  await using server = await startMcpServer(script);
  const config = { servers: [{ name: 's1', url: server.url, permissions: 'auto' }] };
  return await runUsher(['run', 's.js', '-q'], {
    config,
    files: { 's.js': code },
    timeoutMs: 60_000,
  });
}
