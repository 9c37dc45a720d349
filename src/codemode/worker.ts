/** The second entry of the binary: a worker that holds the engine and runs one script at a time. */
import variant from '@jitl/quickjs-singlefile-mjs-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { LIMITS } from './limits.ts';
import { createOutlet } from './outlet.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { FromWorker, StartMessage, ToWorker } from './types.ts';

const PAGE_BYTES = 65_536;

/** Of the engine: 16 MiB at first, as its build asks for. */
const memory = new WebAssembly.Memory({
  initial: (16 * 2 ** 20) / PAGE_BYTES,
  maximum: LIMITS.engineBytes / PAGE_BYTES,
});
// An engine that aborts says so on stderr, which is not its own; what became of the script is told by `turn`.
Reflect.set(globalThis.console, 'error', () => undefined);
const send = (message: FromWorker) => postMessage(message);
const engine: QuickJSWASMModule = await newQuickJSWASMModuleFromVariant(
  newVariant(variant, { wasmMemory: memory }),
);

let running: { readonly sandbox: Sandbox; answered: number } | undefined;
let requests = '';
const outlet = createOutlet(
  (items, lines) => send({ type: 'out', items, lines }),
  () => performance.now(),
);

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (typeof data !== 'string') start(data);
  else if (running !== undefined) {
    for (const answer of data.split('\n')) {
      running.answered += 1;
      running.sandbox.answer(answer);
    }
  }
  report();
});
send({ type: 'ready' });

function start(message: StartMessage): void {
  outlet.reset();
  requests = '';
  const sandbox = createSandbox(engine, message, {
    now: () => performance.now(),
    emit: outlet.emit,
    onLost: outlet.lose,
    request: (json) => {
      requests += `\n${json}`;
    },
    onTick: outlet.tick,
    engineBytes: () => memory.buffer.byteLength,
  });
  running = { sandbox, answered: 0 };
  sandbox.start();
}

function report(): void {
  if (running === undefined) return;
  const { sandbox, answered } = running;
  const end = sandbox.end();
  if (end === undefined) outlet.flush();
  // Also at the end: calls that nobody awaits are told of.
  send(`${answered}${requests}`);
  requests = '';
  if (end === undefined) return;
  running = undefined;
  const isClean = sandbox.dispose();
  outlet.flush();
  send({ type: 'end', end, dropped: outlet.dropped(), bytes: memory.buffer.byteLength, isClean });
}
