/**
 * What servers may ask of usher, joined: elicitation, sampling, their log, and the addresses a call needs
 * opened first. Every question to a person goes through one queue.
 */
import { startLimit } from '../base/abort.ts';
import { FailedError, LimitError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { createOpenUrl, type OpenUrl } from '../base/open-url.ts';
import { stateDirectory } from '../base/paths.ts';
import type { Queue } from '../base/queue.ts';
import type { ServerConfig } from '../config/types.ts';
import { createCompletions } from '../mcp/handlers/completions.ts';
import { answerElicitation } from '../mcp/handlers/elicitation.ts';
import { readLogMessage } from '../mcp/handlers/logging.ts';
import { answerSampling } from '../mcp/handlers/sampling.ts';
import { askingForUrls } from '../mcp/handlers/url-required.ts';
import type { AnswerServer, ConnectionPorts } from '../mcp/ports.ts';
import type { Connection } from '../mcp/types.ts';
import type { ModelProvider } from '../model/types.ts';
import type { HostDeps } from './create.ts';
import { createElicitAnswers, type ElicitPlan } from './elicit.ts';
import { createMcpLog, oneLine } from './mcp-log.ts';
import { ourLines, quoteInline } from './quote.ts';
import { createSampleModel } from './sample.ts';
import { createLevelSetter, type ServerLogLevel } from './server-level.ts';
import type { Dialogue, Talk } from './talk.ts';

export interface AskOptions {
  readonly talk: Talk | undefined;
  readonly elicit: ElicitPlan | undefined;
  readonly serverLogLevel: ServerLogLevel | undefined;
  readonly queue: Queue;
  /** A model that answers with at most so many tokens; `undefined`: there is only the router. */
  readonly openModel: (maxTokens: number) => Promise<ModelProvider | undefined>;
  /** Default: the person's browser. */
  readonly openUrl?: OpenUrl;
}

/** What depends on the server it is for. */
export type AskPorts = Pick<
  ConnectionPorts,
  'serverRequests' | 'clientCapabilities' | 'logLevel' | 'onNotification'
>;

export interface Asks {
  /** What a connection to this server is given. */
  portsFor(server: ServerConfig): AskPorts;
  /** The connection, with requests that need an address opened first made again afterwards. */
  wrap(connection: Connection): Connection;
  /** To be called after every change of a server. */
  noticeChange(connection: Connection): void;
  close(): void;
}

/** How long a call waits for the server to say that what was opened is done. */
const COMPLETE_LIMIT_MS = 5 * 60_000;
/** With nobody there to open anything a late word is not waited for. */
const COMPLETE_ALONE_MS = 15_000;

export function createAsks(options: AskOptions, deps: HostDeps): Asks {
  const { clock, env, log } = deps;
  const { queue, elicit } = options;
  const given = options.talk;
  const talk: Talk | undefined =
    given && ((conversation, signal) => queue.run(() => given(conversation, signal), signal));
  const openUrl = options.openUrl ?? createOpenUrl(env, clock);
  const answer = createElicitAnswers({ plan: elicit, talk, openUrl, log });
  const sample = createSampleModel({ talk, openModel: options.openModel });
  const completions = createCompletions();
  const mcpLog = createMcpLog({ stateDir: stateDirectory(env), clock, warn: log.warn });

  const closing = new AbortController();
  const noticeChange = createLevelSetter({
    level: options.serverLogLevel,
    onProblem: log.debug,
    signal: closing.signal,
  });

  const onNotification = (server: string, method: string, params: JsonObject) => {
    if (method === 'notifications/elicitation/complete') completions.complete(server, params);
    if (method !== 'notifications/message') return;
    const { level, text } = readLogMessage(params);
    mcpLog.write(server, level, text);
    log.debug(`${server}: [${level}] ${oneLine(text)}`);
  };
  const telling =
    (work: AnswerServer): AnswerServer =>
    (server, params, signal) =>
      work(server, params, signal).catch((error: unknown) => {
        const isWithdrawn = error === signal.reason && error instanceof FailedError;
        if (isWithdrawn) log.info(`the question of server "${server}" is no longer open`);
        throw error;
      });
  const elicitation = telling((...asked) => answerElicitation(answer, ...asked));
  const sampling = telling((...asked) => answerSampling(sample, ...asked));

  /** False: the person does not want to wait any longer, nor to try again. */
  const untilDone = async (
    server: string,
    wait: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const asked = elicit === undefined ? talk : undefined;
    const limitMs = asked === undefined ? COMPLETE_ALONE_MS : COMPLETE_LIMIT_MS;
    if (asked === undefined) {
      log.info(`waiting at most ${limitMs / 1000}s for server "${server}" to say that it is done`);
    }
    const limit = startLimit(
      clock,
      limitMs,
      () => new LimitError(`${server}: nothing more was said`),
    );
    const over = new AbortController();
    const until = AbortSignal.any([signal, limit.signal, over.signal]);
    const done = wait(until).then(() => true);
    const skipped = asked?.((dialogue) => askToWait(server, dialogue), until);
    skipped?.catch(() => undefined);
    try {
      return await Promise.race([done, ...(skipped === undefined ? [] : [skipped])]);
    } catch (error) {
      if (error !== limit.signal.reason) throw error;
      log.info(`server "${server}" did not say that it is done; trying again anyway`);
      return true;
    } finally {
      limit.dispose();
      over.abort(new LimitError('nobody waits any more'));
      done.catch(() => undefined);
      // The terminal is free again before anything else is shown.
      await skipped?.catch(() => undefined);
    }
  };

  return {
    portsFor({ sampling: mode }) {
      const maySample = mode === 'ask';
      return {
        serverRequests: new Map([
          ['elicitation/create', elicitation],
          ...(maySample ? [['sampling/createMessage', sampling] as const] : []),
        ]),
        clientCapabilities: capabilitiesFor(mode),
        ...(options.serverLogLevel === undefined ? {} : { logLevel: options.serverLogLevel }),
        onNotification,
      };
    },
    wrap: (connection) =>
      askingForUrls(connection, {
        answer,
        settled: ({ server, id }, signal) =>
          id === undefined || completions.takeEarly(server, id)
            ? Promise.resolve(true)
            : untilDone(server, (until) => completions.wait(server, id, until), signal),
      }),
    noticeChange,
    close() {
      closing.abort(new FailedError('the host is closed'));
      mcpLog.close();
    },
  };
}

/** What a run declares to a server: some list other tools to a client that can do less. */
export function capabilitiesFor(sampling: ServerConfig['sampling']): JsonObject {
  return {
    roots: {},
    elicitation: { form: {}, url: {} },
    ...(sampling === 'ask' ? { sampling: {} } : {}),
  };
}

/** True: try again now. */
async function askToWait(server: string, dialogue: Dialogue): Promise<boolean> {
  const text = `Waiting for ${quoteInline(server)} to say that it is done. Enter tries again now, Ctrl-C gives up.`;
  dialogue.show(ourLines(text, dialogue.columns));
  const typed = await dialogue.read('');
  return typed.kind !== 'end';
}
