/**
 * One script in one QuickJS runtime of its own. Runs in a worker; everything that crosses the border of the
 * VM is text. Host promises stay outside: the VM keeps its own and is told of answers (never asyncify).
 */
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import { createCatalogue } from './catalogue.ts';
import { LIMITS } from './limits.ts';
import { PRELUDE, SCRIPT_DECLARATION, SCRIPT_FILE, SCRIPT_OBJECT } from './prelude.ts';
import { createStage, type Stage } from './stage.ts';
import type { ScriptEnd, ScriptError, StartMessage } from './types.ts';

export interface SandboxPorts {
  readonly now: () => number;
  /** `kind`: `text`, `console`, or an image's type. */
  readonly emit: (kind: string, text: string) => void;
  /** Outputs over the bound, that were not even emitted. */
  readonly onLost: (count: number) => void;
  /** JSON text of one line: `[id, what, values]`. */
  readonly request: (json: string) => void;
  /** Called often while the VM computes. */
  readonly onTick: () => void;
  /** Memory of the engine now; it never shrinks. */
  readonly engineBytes: () => number;
}

export interface Sandbox {
  /** Runs until the VM has nothing to do. */
  start(): void;
  /** JSON text: `[id, 1, value]`, or `[id, 0, {message, …}]` where it failed. */
  answer(json: string): void;
  /** `undefined`: it waits for answers. */
  end(): ScriptEnd | undefined;
  /** False: the engine must not be used again. */
  dispose(): boolean;
}

export function createSandbox(
  engine: QuickJSWASMModule,
  message: StartMessage,
  ports: SandboxPorts,
): Sandbox {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(LIMITS.memoryBytes);
  runtime.setMaxStackSize(LIMITS.stackBytes);
  const context = runtime.newContext();
  const stage = createStage(message.store);
  const state: State = {
    end: undefined,
    isExited: false,
    isClean: true,
    cpuMs: 0,
    enteredAt: 0,
    asked: 0,
    answered: 0,
  };
  runtime.setInterruptHandler(() => {
    ports.onTick();
    return state.isExited || spent(state, ports) > message.cpuMs;
  });
  /** Kept, because looking it up for each answer costs as much as the answer. */
  let deliver: QuickJSHandle | undefined;

  /** Nothing is left to do, and no answer is to come. */
  const isStuck = () =>
    state.end === undefined &&
    !state.isExited &&
    spent(state, ports) <= message.cpuMs &&
    deliver !== undefined &&
    state.asked === state.answered;
  /** Does one thing in the VM and all that follows from it. */
  const enter = (work: () => void) => {
    if (state.end !== undefined) return;
    state.enteredAt = ports.now();
    try {
      work();
      runJobs(runtime, context, state);
      if (isStuck()) {
        state.end = failed('stuck', 'the script waits for a promise that nothing can settle');
      }
    } catch (thrown) {
      state.end ??= failed('error', faultText(thrown));
      state.isClean = false;
    }
    state.cpuMs = spent(state, ports);
    if (state.isExited) state.end = completed(stage);
    else if (state.cpuMs > message.cpuMs && state.end === undefined) {
      state.end = failed('limit', `the script computed for more than ${message.cpuMs} ms`);
    }
    if (state.end !== undefined)
      state.end = settleEnd(state.end, state.cpuMs > message.cpuMs, message, ports);
  };

  return {
    start: () =>
      enter(() => {
        const problem = syntaxProblem(context, message.code);
        if (problem !== undefined) {
          state.end = { kind: 'failed', error: problem };
          return;
        }
        if (message.isCheck) {
          state.end = completed(stage);
          return;
        }
        const vm = openVm(context, message, { ...ports, stage, state });
        deliver = context.getProp(vm, 'deliver');
        Scope.withScope((scope) => {
          const run = scope.manage(context.getProp(scope.manage(vm), 'run'));
          const source = SCRIPT_OBJECT.join(message.code);
          const holder = scope.manage(unwrap(context, context.evalCode(source, SCRIPT_FILE)));
          callVm(context, run, scope.manage(context.getProp(holder, 'script')));
        });
      }),
    answer: (json) =>
      enter(() => {
        if (deliver === undefined) return;
        state.answered += 1;
        const value = context.newString(json);
        callVm(context, deliver, value);
        value.dispose();
      }),
    end: () => state.end,
    dispose() {
      // What an interrupted or starved script leaves behind cannot be freed: the engine goes with it.
      if (!state.isClean || isLimit(state.end)) return false;
      try {
        deliver?.dispose();
        context.dispose();
        runtime.dispose();
      } catch {
        // Objects that a broken script left behind: the engine goes with them.
        return false;
      }
      return state.isClean;
    },
  };
}

interface State {
  end: ScriptEnd | undefined;
  isExited: boolean;
  isClean: boolean;
  /** Spent in the VM so far, without the present stay. */
  cpuMs: number;
  enteredAt: number;
  /** Requests of the script so far, and those that were answered. */
  asked: number;
  answered: number;
}

function spent(state: State, { now }: Pick<SandboxPorts, 'now'>): number {
  return state.cpuMs + now() - state.enteredAt;
}

function failed(kind: ScriptError['kind'], message: string): ScriptEnd {
  return { kind: 'failed', error: { kind, message } };
}

/** The engine's own fault; a RangeError is the worker's stack, used up by a script before the VM's. */
function faultText(thrown: unknown): string {
  if (thrown instanceof RangeError) return 'InternalError: stack overflow';
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function isLimit(end: ScriptEnd | undefined): boolean {
  return end?.kind === 'failed' && end.error.kind === 'limit';
}

function completed(stage: Stage): ScriptEnd {
  return { kind: 'completed', store: stage.changes() };
}

/** What is left of an engine's error when it had no memory for the error itself. */
const WORDLESS = /^(?:thrown: null|Error: (?:null)?)$/;

/** Why a script ended, where the engine only says that it was interrupted or has no memory. */
function settleEnd(
  end: ScriptEnd,
  isOverTime: boolean,
  { cpuMs }: StartMessage,
  { engineBytes }: SandboxPorts,
): ScriptEnd {
  if (end.kind === 'completed') return end;
  // Whatever the engine says then: interrupted inside of an await it speaks of a TypeError.
  if (isOverTime) return failed('limit', `the script computed for more than ${cpuMs} ms`);
  const { message } = end.error;
  const isStarved = WORDLESS.test(message) && engineBytes() > LIMITS.keptBytes;
  if (!isStarved && !message.startsWith('InternalError: out of memory')) return end;
  const mebibytes = LIMITS.memoryBytes / 2 ** 20;
  return failed('limit', `out of memory: a script has ${mebibytes} MiB`);
}

/** Compiles the script without running any of it, in both of its forms. */
function syntaxProblem(context: QuickJSContext, code: string): ScriptError | undefined {
  const problem =
    compileProblem(context, SCRIPT_DECLARATION.join(code)) ??
    compileProblem(context, SCRIPT_OBJECT.join(code));
  return problem === undefined ? undefined : { kind: 'syntax', message: problem };
}

function compileProblem(context: QuickJSContext, source: string): string | undefined {
  const result = context.evalCode(source, SCRIPT_FILE, { type: 'global', compileOnly: true });
  if (result.error === undefined) {
    result.value.dispose();
    return undefined;
  }
  const error: unknown = result.error.consume((handle) => context.dump(handle));
  const { name, message, line } = factsOf(error);
  const where = line === undefined ? '' : ` (line ${line})`;
  return `${name}: ${message}${where}`;
}

function factsOf(error: unknown) {
  const facts = typeof error === 'object' && error !== null ? error : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    name: 'name' in facts ? text(facts.name) : 'Error',
    message: 'message' in facts ? text(facts.message) : String(error),
    line:
      'lineNumber' in facts && typeof facts.lineNumber === 'number' ? facts.lineNumber : undefined,
  };
}

/** The functions of a script, made in the VM. */
function openVm(
  context: QuickJSContext,
  message: StartMessage,
  ports: SandboxPorts & { readonly stage: Stage; readonly state: State },
): QuickJSHandle {
  return Scope.withScope((scope) => {
    const host = scope.manage(context.newObject());
    for (const [name, work] of Object.entries(hostFunctions(message, ports))) {
      const handle = context.newFunction(name, (...values) => {
        const answer = work(...values.map((value) => plain(context, value)));
        return answer === undefined ? context.undefined : context.newString(answer);
      });
      context.setProp(host, name, scope.manage(handle));
    }
    // Of one text and nothing to give back: what each call costs.
    const request = context.newFunction('request', (json) => {
      ports.state.asked += 1;
      ports.request(context.getString(json));
    });
    context.setProp(host, 'request', scope.manage(request));
    const { outputCharacters, outputItems, storeValueCharacters } = LIMITS;
    const facts = { outputCharacters, outputItems, storeValueCharacters, given: message.given };
    const json = JSON.stringify(JSON.stringify(facts));
    const limits = scope.manage(unwrap(context, context.evalCode(`JSON.parse(${json})`)));
    const prelude = scope.manage(unwrap(context, context.evalCode(PRELUDE, 'usher.js')));
    return unwrap(context, context.callFunction(prelude, context.undefined, host, limits));
  });
}

type HostFunction = (...values: readonly (string | number | undefined)[]) => string | undefined;

function hostFunctions(
  message: StartMessage,
  ports: SandboxPorts & { readonly stage: Stage; readonly state: State },
): Readonly<Record<string, HostFunction>> {
  const { stage, state } = ports;
  const catalogue = createCatalogue(message.tools, message.servers);
  return {
    emit(kind, text) {
      ports.emit(String(kind), String(text));
      return undefined;
    },
    lost(count) {
      ports.onLost(Number(count));
      return undefined;
    },
    exit() {
      state.isExited = true;
      return undefined;
    },
    done(isOk, text, name) {
      const error =
        String(name) === 'InternalError' ? `InternalError: ${String(text)}` : String(text);
      const shown = error.replace(/^InternalError: InternalError/, 'InternalError');
      state.end ??= isOk === 1 ? completed(stage) : failed('error', shown);
      return undefined;
    },
    save: (key, json) => stage.save(String(key), json === undefined ? undefined : String(json)),
    load: (key) => stage.load(String(key)) ?? '',
    namespace: (name) => catalogue.namespace(String(name)),
    names: (server) => JSON.stringify(catalogue.names(String(server))),
    catalogue: () =>
      JSON.stringify(
        message.tools.map(({ publicName, description }) => ({ name: publicName, description })),
      ),
  };
}

/** Texts and numbers only; anything else is nothing. */
function plain(context: QuickJSContext, value: QuickJSHandle): string | number | undefined {
  const type = context.typeof(value);
  if (type === 'string') return context.getString(value);
  return type === 'number' ? context.getNumber(value) : undefined;
}

/** Jobs of the VM in one go; between two goes it is asked whether the script has ended. */
const JOBS_AT_ONCE = 64;

function runJobs(runtime: QuickJSRuntime, context: QuickJSContext, state: State): void {
  while (state.end === undefined && !state.isExited) {
    const result = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (result.error === undefined) {
      if (result.value < JOBS_AT_ONCE) return;
      continue;
    }
    const error: unknown = result.error.consume((handle) => context.dump(handle));
    const { name, message } = factsOf(error);
    state.isClean = false;
    state.end ??= failed('error', `${name}: ${message}`);
  }
}

/** Calls a function of the prelude. Throws Error with the VM's words. */
function callVm(context: QuickJSContext, method: QuickJSHandle, value: QuickJSHandle): void {
  unwrap(context, context.callFunction(method, context.undefined, value)).dispose();
}

type VmResult = ReturnType<QuickJSContext['evalCode']>;

/** Throws Error with the VM's words. */
function unwrap(context: QuickJSContext, result: VmResult): QuickJSHandle {
  if (result.error === undefined) return result.value;
  const error: unknown = result.error.consume((handle) => context.dump(handle));
  const { name, message } = factsOf(error);
  throw new Error(`${name}: ${message}`);
}
