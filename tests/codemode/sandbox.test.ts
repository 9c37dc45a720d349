import { expect, test } from 'bun:test';
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import { newQuickJSWASMModuleFromVariant, type QuickJSWASMModule } from 'quickjs-emscripten-core';
import { createSandbox } from '../../src/codemode/sandbox.ts';
import type { ScriptEnd } from '../../src/codemode/types.ts';

/** Every look at the clock takes a millisecond: where a script is interrupted depends on the limit alone. */
function endOf(engine: QuickJSWASMModule, code: string, cpuMs: number): ScriptEnd | undefined {
  let now = 0;
  const start = {
    type: 'start',
    code,
    tools: [],
    servers: [],
    store: [],
    given: undefined,
  } as const;
  const nothing = () => undefined;
  const sandbox = createSandbox(
    engine,
    { ...start, cpuMs, isCheck: false },
    {
      now: () => {
        now += 1;
        return now;
      },
      emit: nothing,
      onLost: nothing,
      request: nothing,
      onTick: nothing,
      engineBytes: () => 0,
    },
  );
  sandbox.start();
  return sandbox.end();
}

test.each(['for (;;) await null', 'for (;;) try { await null } catch {}', 'for (;;);'])(
  'a script is told of its limit wherever it was interrupted: %s',
  async (code) => {
    const engine = await newQuickJSWASMModuleFromVariant(variant);
    for (let cpuMs = 10; cpuMs < 30; cpuMs += 1) {
      const message = `the script computed for more than ${cpuMs} ms`;
      expect(endOf(engine, code, cpuMs)).toEqual({
        kind: 'failed',
        error: { kind: 'limit', message },
      });
    }
  },
);
