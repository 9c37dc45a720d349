import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startModelServer } from '../fixtures/models/server.ts';
import type { ScriptStep } from '../fixtures/models/types.ts';
import { scriptedModel, stdioCommand } from '../helpers/config.ts';
import { newFolder } from '../helpers/places.ts';
import { isAlive } from '../helpers/processes.ts';
import { type RunningUsher, startUsher } from '../helpers/usher.ts';

const family = resolve(import.meta.dir, '../fixtures/servers/family.sh');
const RELATIVES = ['shell', 'grandchild', 'server'];

interface Ending {
  readonly steps: readonly ScriptStep[];
  readonly code: number;
  /** What ends the run once the model has been asked. */
  readonly end?: (usher: RunningUsher) => void;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  'the normal end': { steps: [{ text: 'done' }], code: 0 },
  'a model error': { steps: [{ status: 401, message: 'no such key' }], code: 8 },
  'Ctrl-C': { steps: [{ silent: true }], code: 130, end: (usher) => usher.kill('SIGINT') },
  SIGQUIT: { steps: [{ silent: true }], code: 131, end: (usher) => usher.kill('SIGQUIT') },
  SIGTERM: { steps: [{ silent: true }], code: 143, end: (usher) => usher.kill('SIGTERM') },
  SIGHUP: { steps: [{ silent: true }], code: 143, end: (usher) => usher.kill('SIGHUP') },
};

describe('a server whose relatives ignore everything but KILL', () => {
  test('leaves nobody behind, however the run ends', async () => {
    const endings = Object.entries(ENDINGS);
    const seen = await Promise.all(endings.map(([name, ending]) => runEnding(name, ending)));
    expect(seen).toEqual(
      endings.map(([name, { code }]) => ({ name, code, alive: [], inTime: true })),
    );
  }, 30_000);

  test('leaves nobody behind when the reader of stdout goes away', async () => {
    const folder = newFolder();
    const model = await startModelServer({
      format: 'openai',
      script: [{ text: 'x'.repeat(1000), repeat: 300 }],
    });
    try {
      const usher = startUsher(['--prompt', 'go'], {
        ...optionsFor(folder, model),
        stdout: 'head',
      });
      const run = await usher.done;
      expect(run.code).toBe(0);
      expect(aliveOf(folder)).toEqual([]);
    } finally {
      await model.close();
    }
  });
});

async function runEnding(name: string, ending: Ending) {
  const folder = newFolder();
  const model = await startModelServer({ format: 'openai', script: ending.steps });
  try {
    const usher = startUsher(['--prompt', 'go'], optionsFor(folder, model));
    let endedAt = performance.now();
    if (ending.end !== undefined) {
      await until(() => model.requests.length > 0);
      endedAt = performance.now();
      ending.end(usher);
    }
    const run = await usher.done;
    const inTime = ending.end === undefined || performance.now() - endedAt < 4500;
    return { name, code: run.code, alive: aliveOf(folder), inTime };
  } finally {
    await model.close();
  }
}

function optionsFor(folder: string, model: { readonly baseUrl: string }) {
  const { command, args } = stdioCommand({
    pidFile: join(folder, 'server.pid'),
    ignoreEof: true,
    ignoreTerm: true,
  });
  const server = { name: 's1', command: 'sh', args: [family, folder, command, ...args] };
  return { config: { model: scriptedModel(model), servers: [server] } };
}

/** Which of the three still run. Each must have started: its file is there. */
function aliveOf(folder: string): string[] {
  return RELATIVES.filter((name) => {
    const pid = Number(readFileSync(join(folder, `${name}.pid`), 'utf8'));
    return isAlive(pid);
  });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(10);
}
