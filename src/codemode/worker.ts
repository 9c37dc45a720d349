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
import type { FromWorker, ScriptRequest, StartMessage, ToWorker } from './types.ts';

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

let running: { readonly sandbox: Sandbox; handled: number } | undefined;
let requests: ScriptRequest[] = [];
const outlet = createOutlet(
  (items, lines) => send({ type: 'out', items, lines }),
  () => performance.now(),
);

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === 'start') start(data);
  else if (running !== undefined) {
    running.handled += 1;
    running.sandbox.answer(data);
  }
  report();
});
send({ type: 'ready' });

function start(message: StartMessage): void {
  outlet.reset();
  requests = [];
  const sandbox = createSandbox(engine, message, {
    now: () => performance.now(),
    emit: outlet.emit,
    onLost: outlet.lose,
    request: (request) => requests.push(request),
    onTick: outlet.tick,
    engineBytes: () => memory.buffer.byteLength,
  });
  running = { sandbox, handled: 1 };
  sandbox.start();
}

function report(): void {
  if (running === undefined) return;
  const { sandbox, handled } = running;
  const end = sandbox.end();
  let isClean = true;
  if (end !== undefined) {
    running = undefined;
    isClean = sandbox.dispose();
  }
  outlet.flush();
  const asked = requests;
  requests = [];
  const bytes = memory.buffer.byteLength;
  const dropped = outlet.dropped();
  send({ type: 'turn', handled, requests: asked, end, dropped, bytes, isClean });
}
