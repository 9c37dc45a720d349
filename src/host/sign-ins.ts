/** Signing in and out on a person's word: what `usher mcp login`, `usher login` and a session's `/mcp login` do. */
import { noLoginFolder } from '../auth/login-folder.ts';
import { SignInNeededError } from '../auth/oauth-source.ts';
import type { SignIn, SignInWish } from '../auth/sign-in.ts';
import { loginSubject } from '../auth/subject.ts';
import type { Interaction, StoredLogin } from '../auth/types.ts';
import { UsageError } from '../base/errors.ts';
import type { ExitCode } from '../base/exit.ts';
import { stateDirectory } from '../base/paths.ts';
import { spawnChild } from '../base/spawn.ts';
import { VERSION } from '../base/version.ts';
import type { Config, ServerConfig } from '../config/types.ts';
import { createConnection } from '../mcp/connection.ts';
import { createSignIn } from '../mcp/credentials.ts';
import type { NamedLogin } from '../mcp/ports.ts';
import type { Connection } from '../mcp/types.ts';
import type { LogSink } from '../transport/types.ts';
import type { HostDeps } from './create.ts';
import { openLogins } from './logins.ts';
import { noSignIn } from './no-sign-in.ts';

export type { Interaction };

/** How a person signs in. */
export type SignInHow =
  | { readonly kind: 'here'; readonly interaction: Interaction; readonly isByDevice: boolean }
  /** Only the address is given; a later `code` finishes it. */
  | { readonly kind: 'address' }
  /** What was pasted: the redirected URL or the code. */
  | { readonly kind: 'code'; readonly pasted: string };

export interface SignInRequest {
  readonly how: SignInHow;
  /** Scopes beside those that are asked for anyway, separated by spaces. */
  readonly scope: string | undefined;
}

export type SignInOutcome =
  | {
      readonly kind: 'address';
      readonly url: string;
      /** For the person: what to do with it. */
      readonly lines: readonly string[];
    }
  | {
      readonly kind: 'signed in';
      readonly scope: string | undefined;
      /** Scopes that were asked for and not granted. */
      readonly refused: readonly string[];
      /** ISO 8601; `undefined`: not said. */
      readonly expiresAt: string | undefined;
      readonly issuer: string;
      /** How many tools the server has now; `undefined` for a named login, or when it does not come up. */
      readonly tools: number | undefined;
      /** What the server says although the sign-in went well. */
      readonly trouble:
        | { readonly message: string; readonly hint: string | undefined; readonly exit: ExitCode }
        | undefined;
    };

export type KeptSignIn = Pick<
  Extract<SignInOutcome, { kind: 'signed in' }>,
  'issuer' | 'scope' | 'expiresAt'
>;

export interface SignIns {
  /** Rejects with UsageError for a server whose credentials are no sign-in, with what went wrong, or the signal's reason. */
  signIn(server: ServerConfig, request: SignInRequest, signal: AbortSignal): Promise<SignInOutcome>;
  /** False: nothing was kept. */
  signOut(server: ServerConfig, signal: AbortSignal): Promise<boolean>;
  /** What is kept, nobody being asked; `undefined`: nothing, or no sign-in. Rejects when it cannot be read. */
  kept(server: ServerConfig): Promise<KeptSignIn | undefined>;
  /** As `signOut`, for a server that may have no sign-in. */
  forget(server: ServerConfig, signal: AbortSignal): Promise<boolean>;
  /** A login of `logins:`. Rejects with UsageError for a name that is none. */
  signInNamed(name: string, request: SignInRequest, signal: AbortSignal): Promise<SignInOutcome>;
  signOutNamed(name: string, signal: AbortSignal): Promise<boolean>;
}

/** Of the servers and `logins:` of `config`. Nothing is read or asked before. */
export function createSignIns(
  config: Config,
  options: { readonly cwd: string },
  deps: HostDeps,
): SignIns {
  const stateDir = stateDirectory(deps.env);
  const logins = openLogins(deps);
  const ports = { ...signInPorts(deps), logins };
  const named = (name: string): SignIn => {
    const login = namedLogin(config, name);
    if (login === undefined) throw unknownLogin(config, name);
    return createSignIn(login.subject, login, ports);
  };
  const connect = (server: ServerConfig): Connection =>
    createConnection(server, {
      ...ports,
      spawn: spawnChild,
      cwd: options.cwd,
      version: VERSION,
      loginWords: config.loginWords,
      namedLogin: (name) => namedLogin(config, name),
      serverRequests: new Map(),
      clientCapabilities: {},
      onNotification: () => undefined,
    });

  const end = async (signIn: SignIn, signal: AbortSignal): Promise<boolean> => {
    const wasKept = await signIn.end(signal);
    const { dropPending } = await import('../auth/pending.ts');
    dropPending(signIn.subject, { clock: deps.clock, stateDir });
    return wasKept;
  };
  /** What a person does in one command is for the next ones. */
  const checkPlace = (signIn: SignIn | undefined): void => {
    const isLost = stateDir === undefined && signIn?.needsPerson === true;
    if (isLost) throw noLoginFolder(signIn.subject.label);
  };
  /** `undefined`: it has no sign-in. */
  const endOf = async (server: ServerConfig, signal: AbortSignal) => {
    if (server.endpoint.kind === 'builtin') return undefined;
    const connection = connect(server);
    try {
      return connection.signIn && (await end(connection.signIn, signal));
    } finally {
      await connection.close();
    }
  };

  return {
    async signIn(server, request, signal) {
      if (server.endpoint.kind === 'builtin') throw noSignIn(server);
      const connection = connect(server);
      try {
        checkPlace(connection.signIn);
        return await signInOver(connection, request, stateDir, signal);
      } finally {
        await connection.close();
      }
    },
    async signOut(server, signal) {
      const signedOut = await endOf(server, signal);
      if (signedOut === undefined) throw noSignIn(server);
      return signedOut;
    },
    async kept(server) {
      if (server.endpoint.kind === 'builtin') return undefined;
      const connection = connect(server);
      const key = connection.signIn?.subject.key;
      await connection.close();
      const login = key === undefined ? undefined : await logins.read(key);
      if (login === undefined) return undefined;
      const { issuer, scope, expiresAt } = signedIn(login);
      return { issuer, scope, expiresAt };
    },
    forget: async (server, signal) => (await endOf(server, signal)) ?? false,
    async signInNamed(name, request, signal) {
      const signIn = named(name);
      checkPlace(signIn);
      const outcome = await goThrough(signIn, { challenge: undefined }, request, stateDir, signal);
      return outcome.kind === 'address' ? outcome : signedIn(outcome.login);
    },
    signOutNamed: async (name, signal) => end(named(name), signal),
  };
}

/**
 * Signs in to the server of `connection` and connects it with what was got. Rejects as `SignIns.signIn`; what was
 * kept before is in use again then.
 */
export async function signInOver(
  connection: Connection,
  request: SignInRequest,
  stateDir: string | undefined,
  signal: AbortSignal,
): Promise<SignInOutcome> {
  const { signIn, config } = connection;
  if (signIn === undefined) throw noSignIn(config);
  const wasReady = connection.status().state === 'ready';
  let outcome: Way | undefined;
  try {
    const challenge =
      request.how.kind === 'code' ? undefined : await challengeOf(connection, signIn, signal);
    outcome = await goThrough(signIn, { challenge }, request, stateDir, signal);
  } finally {
    signIn.giveUpStartingOver();
    // What worked before works again, by the login that is still kept.
    const isBack = wasReady && outcome?.kind !== 'login';
    if (isBack) await connection.connect(new AbortController().signal);
  }
  if (outcome.kind === 'address') return outcome;
  await connection.connect(signal);
  signal.throwIfAborted();
  const { state, tools, error } = connection.status();
  const trouble = error && { message: error.message, hint: error.hint, exit: error.exit };
  return {
    ...signedIn(outcome.login),
    tools: state === 'ready' ? tools.length : undefined,
    trouble,
  };
}

/** A login that `logins:` describes; `undefined`: there is none of that name. */
export function namedLogin(config: Config, name: string): NamedLogin | undefined {
  const { logins = {} } = config;
  const login = Object.hasOwn(logins, name) ? logins[name] : undefined;
  if (login === undefined) return undefined;
  return { subject: loginSubject(name, login), allowPrivate: login.allowPrivate };
}

/** What the server says to somebody who is not signed in; rejects when it cannot be reached. */
async function challengeOf(connection: Connection, signIn: SignIn, signal: AbortSignal) {
  signIn.startOver();
  await connection.connect(signal);
  signal.throwIfAborted();
  const { error } = connection.status();
  if (error instanceof SignInNeededError) return error.challenge;
  if (error !== undefined) throw error;
  // It lets everybody list its tools; its metadata says the rest.
  return undefined;
}

type Way =
  | Extract<SignInOutcome, { kind: 'address' }>
  | { readonly kind: 'login'; readonly login: StoredLogin };

async function goThrough(
  signIn: SignIn,
  wish: SignInWish,
  { how, scope }: SignInRequest,
  stateDir: string | undefined,
  signal: AbortSignal,
): Promise<Way> {
  if (how.kind !== 'here' && !signIn.needsPerson) throw nothingToCarry(signIn);
  switch (how.kind) {
    case 'here': {
      const asked = { ...wish, scope, ...(how.isByDevice ? { isByDevice: true } : {}) };
      return { kind: 'login', login: await signIn.begin(how.interaction, asked, signal) };
    }
    case 'address': {
      const { startLater } = await import('../auth/later.ts');
      const job = await signIn.prepare({ ...wish, scope }, signal);
      return { kind: 'address', ...(await startLater(job, stateDir)) };
    }
    case 'code': {
      const { finishLater } = await import('../auth/later.ts');
      return {
        kind: 'login',
        login: await signIn.keep(await finishLater(signIn, how.pasted, stateDir, signal)),
      };
    }
  }
}

function signedIn({
  tokens,
  metadata,
  refusedScopes = [],
}: StoredLogin): Extract<SignInOutcome, { kind: 'signed in' }> {
  const { expiresAt, scope } = tokens;
  return {
    kind: 'signed in',
    scope,
    refused: refusedScopes,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    issuer: metadata.issuer,
    tools: undefined,
    trouble: undefined,
  };
}

function signInPorts(deps: HostDeps) {
  const { clock, env, fetch = globalThis.fetch, random = Math.random, resolve } = deps;
  const log: LogSink = (level, message) => deps.log[level](message);
  return { clock, env, fetch, log, random, ...(resolve === undefined ? {} : { resolve }) };
}

/** An address and a code are for a person. */
function nothingToCarry({ subject }: SignIn): UsageError {
  const { label, command, settings } = subject;
  const text = `${label} is signed in to by the grant ${settings.grant}, which needs nobody`;
  return new UsageError(text, { hint: command });
}

function unknownLogin(config: Config, name: string): UsageError {
  const names = Object.keys(config.logins ?? {});
  return new UsageError(`unknown login "${name}"`, {
    hint:
      names.length === 0
        ? 'logins: in your own config file describes logins; for a server: usher mcp login|logout NAME'
        : `there is ${names.join(', ')}`,
  });
}
