/** Follows a task to its end, so that it looks like any other call. Source: MCP tasks extension, 2026-07-28. */
import { sleep } from '../base/clock.ts';
import { toAppError, UnknownOutcomeError } from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { rpcError } from '../transport/message.ts';
import { RpcError } from './errors.ts';
import { answerAll, type OpenExchange } from './input-answers.ts';

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 30_000;

/**
 * The result of a completed task. Rejects with RpcError for a failed one, UnknownOutcomeError for one that
 * was cancelled or cannot be followed any more, or the signal's reason, after telling the server.
 */
export async function followTask(created: JsonObject, exchange: OpenExchange): Promise<JsonValue> {
  let task = taskOf(created);
  const { taskId } = task;
  if (typeof taskId !== 'string') throw lost(exchange, 'a task without an id');
  const answered = new Set<string>();
  let seen: JsonValue | undefined;
  for (let polls = 1; ; polls += 1) {
    if (task['statusMessage'] !== seen) {
      seen = task['statusMessage'];
      const message = typeof seen === 'string' ? seen : undefined;
      exchange.onProgress({ progress: polls, total: undefined, message });
    }
    try {
      const ended = endOf(task, exchange);
      if (ended !== undefined) return ended.result;
      if (task['status'] === 'input_required') await giveInput(taskId, task, answered, exchange);
      await sleep(exchange.clock, pollMs(task), exchange.signal);
      task = taskOf(await exchange.read('tasks/get', { taskId }));
      exchange.onActivity();
    } catch (thrown) {
      if (exchange.signal.aborted) {
        exchange.post('tasks/cancel', { taskId });
        throw exchange.signal.reason;
      }
      if (thrown instanceof TaskEnd) throw thrown.reason;
      throw lost(exchange, `task ${taskId}: ${toAppError(thrown).message}`, thrown);
    }
  }
}

/** The task's own end, apart from failures of following it. */
class TaskEnd extends Error {
  readonly reason: Error;
  constructor(reason: Error) {
    super(reason.message);
    this.reason = reason;
  }
}

/** `undefined` while it goes on. Throws TaskEnd. */
function endOf(task: JsonObject, exchange: OpenExchange): { result: JsonValue } | undefined {
  switch (task['status']) {
    case 'completed':
      return { result: task['result'] ?? {} };
    case 'failed': {
      const error = rpcError(task) ?? { code: undefined, message: said(task), data: undefined };
      throw new TaskEnd(new RpcError(exchange.server, exchange.method, error));
    }
    case 'cancelled':
      throw new TaskEnd(lost(exchange, `the task was cancelled on the server${tail(task)}`));
    default:
      return undefined;
  }
}

/** Each question is answered once, however often it is shown. */
async function giveInput(
  taskId: string,
  task: JsonObject,
  answered: Set<string>,
  exchange: OpenExchange,
): Promise<void> {
  const { inputRequests } = task;
  const open = Object.entries(isJsonObject(inputRequests) ? inputRequests : {}).filter(
    ([key]) => !answered.has(key),
  );
  if (open.length === 0) return;
  const inputResponses = await answerAll(Object.fromEntries(open), exchange);
  for (const [key] of open) answered.add(key);
  await exchange.send('tasks/update', { taskId, inputResponses });
}

/** Some servers put it into a field of its own. */
function taskOf(result: JsonValue): JsonObject {
  if (!isJsonObject(result)) return {};
  const { task } = result;
  return isJsonObject(task) ? task : result;
}

function pollMs(task: JsonObject): number {
  const asked = task['pollIntervalMs'] ?? task['pollInterval'];
  const ms = typeof asked === 'number' && Number.isFinite(asked) ? asked : DEFAULT_POLL_MS;
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, ms));
}

function said(task: JsonObject): string {
  const text = task['statusMessage'];
  return typeof text === 'string' ? text : '';
}

function tail(task: JsonObject): string {
  return said(task) === '' ? '' : `: ${said(task)}`;
}

function lost(exchange: OpenExchange, what: string, cause?: unknown): UnknownOutcomeError {
  return new UnknownOutcomeError(`server "${exchange.server}", ${exchange.method}: ${what}`, {
    cause,
    details: { sent: true },
    hint: 'check on the server before calling it again',
  });
}
