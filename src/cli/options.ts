/** What the flags mean: texts to numbers, durations and modes, with every default filled in. */
import { UsageError } from '../base/errors.ts';
import type { CommandName } from './command-table.ts';
import { type EditOptions, readEditOptions } from './edit-options.ts';
import { FLAGS, type FlagName } from './flags.ts';
import type { ParsedLine } from './parse.ts';

export type OutputForm = 'text' | 'json' | 'stream-json';
export type StdinMode = 'auto' | 'wait' | 'off';

const MAX_PORT = 65_535;

/** `undefined` = not given. */
export interface OAuthOptions {
  readonly clientId: string | undefined;
  /** The name of a variable. */
  readonly clientSecretEnv: string | undefined;
  readonly clientMetadataUrl: string | undefined;
  readonly clientName: string | undefined;
  readonly grant: (typeof FLAGS.grant.choices)[number] | undefined;
  /** Files, as typed. */
  readonly privateKey: string | undefined;
  readonly idp: string | undefined;
  readonly assertion: string | undefined;
  readonly algorithm: string | undefined;
  readonly dpop: true | undefined;
  readonly scope: string | undefined;
  readonly callbackPort: number | undefined;
  readonly authServerMetadataUrl: string | undefined;
}

export interface CliOptions {
  /** `-` = read from stdin; `undefined` = not given. */
  readonly prompt: string | undefined;
  readonly config: string | undefined;
  readonly model: { readonly provider: string; readonly name: string | undefined } | undefined;
  readonly servers: readonly string[] | undefined;
  readonly onlyTools: readonly string[] | undefined;
  readonly withoutTools: readonly string[];
  readonly noBuiltins: boolean;
  readonly permissions: 'ask' | 'auto' | undefined;
  readonly yes: readonly string[];
  readonly onDenied: 'fail' | 'continue';
  readonly output: OutputForm;
  readonly maxTurns: number;
  readonly maxTokens: number | undefined;
  /** 0 = none. */
  readonly timeoutMs: number;
  readonly patienceMs: number | undefined;
  /** `accept`, `decline`, or a file. */
  readonly elicit: string | undefined;
  readonly strict: boolean;
  readonly stdin: StdinMode;
  readonly artifacts: 'on' | 'off';
  readonly session: string | undefined;
  readonly continues: boolean;
  readonly ephemeral: boolean;
  /** Servers of project files that may run this time. */
  readonly approve: readonly string[];
  /** What the commands that write configuration are told. */
  readonly edit: EditOptions;
  readonly headers: readonly string[];
  readonly bearerEnv: string | undefined;
  /** What a sign-in is told: of a bare URL, or of the server of `mcp add`. */
  readonly oauth: OAuthOptions;
  readonly login: {
    readonly noBrowser: boolean;
    readonly printUrl: boolean;
    /** `-`: from stdin. */
    readonly code: string | undefined;
    readonly isByDevice: boolean;
  };
  readonly all: boolean;
  readonly why: boolean;
  readonly check: boolean;
  readonly diff: boolean;
  readonly batch: boolean;
  readonly limit: number | undefined;
  readonly quiet: boolean;
  /** 0 info, 1 debug, 2 trace. */
  readonly verbose: number;
  readonly noColor: boolean;
  readonly noInput: boolean;
}

/** 50 turns with calls, and one more to answer. */
const DEFAULT_MAX_TURNS = 51;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** Reads all flags of a line. Throws UsageError for a value that is none. */
export function readOptions(line: ParsedLine): CliOptions {
  const { flags } = line;
  const one = (name: FlagName) => flags.get(name)?.[0];
  const has = (name: FlagName) => flags.has(name);
  if (has('quiet') && has('verbose'))
    throw new UsageError('--quiet and --verbose exclude each other');
  checkOneSession(has);
  return {
    prompt: one('prompt'),
    config: one('config'),
    model: readModel(one('model')),
    servers: flags.get('server'),
    onlyTools: flags.get('tool'),
    withoutTools: flags.get('no-tool') ?? [],
    noBuiltins: has('no-builtin-tools'),
    permissions: oneOf(one('permissions'), ['ask', 'auto']),
    yes: readYes(flags.get('yes') ?? []),
    onDenied: oneOf(one('on-denied'), ['fail', 'continue']) ?? 'fail',
    output: readOutput(line.command, one('output'), has('json')),
    maxTurns: readCount('--max-turns', one('max-turns')) ?? DEFAULT_MAX_TURNS,
    maxTokens: readCount('--max-tokens', one('max-tokens')),
    timeoutMs: readDuration('--timeout', one('timeout')) ?? 0,
    patienceMs: readDuration('--patience', one('patience')),
    elicit: one('elicit'),
    strict: has('strict'),
    stdin: oneOf(one('stdin'), ['auto', 'wait', 'off']) ?? 'auto',
    artifacts: oneOf(one('artifacts'), ['on', 'off']) ?? 'on',
    session: one('session'),
    continues: has('continue'),
    ephemeral: has('ephemeral'),
    approve: flags.get('approve') ?? [],
    edit: readEditOptions(flags),
    headers: flags.get('header') ?? [],
    bearerEnv: one('bearer-env'),
    oauth: readOAuth(flags),
    login: readLogin(flags),
    all: has('all'),
    why: has('why'),
    check: has('check'),
    diff: has('diff'),
    batch: has('batch'),
    limit: readCount('--limit', one('limit')),
    quiet: has('quiet'),
    verbose: flags.get('verbose')?.length ?? 0,
    noColor: has('no-color'),
    noInput: has('no-input'),
  };
}

function readOAuth(flags: ParsedLine['flags']): OAuthOptions {
  const one = (name: FlagName) => flags.get(name)?.[0];
  const port = one('callback-port');
  return {
    clientId: one('client-id'),
    clientSecretEnv: one('client-secret-env'),
    clientMetadataUrl: one('client-metadata-url'),
    clientName: one('client-name'),
    grant: oneOf(one('grant'), FLAGS.grant.choices),
    privateKey: one('private-key'),
    algorithm: one('alg'),
    idp: one('idp'),
    assertion: one('assertion'),
    dpop: flags.has('dpop') ? true : undefined,
    scope: one('oauth-scope'),
    callbackPort: port === undefined ? undefined : readPort(port),
    authServerMetadataUrl: one('auth-server-metadata-url'),
  };
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (port >= 0 && port <= MAX_PORT) return port;
  throw new UsageError(`--callback-port: expected a port, 0 to ${MAX_PORT}, got "${value}"`);
}

function readLogin(flags: ParsedLine['flags']): CliOptions['login'] {
  const given = (['print-url', 'code', 'device'] as const).filter((name) => flags.has(name));
  const [first, second] = given;
  if (second !== undefined) throw new UsageError(`--${first} and --${second} exclude each other`);
  return {
    noBrowser: flags.has('no-browser'),
    printUrl: flags.has('print-url'),
    code: flags.get('code')?.[0],
    isByDevice: flags.has('device'),
  };
}

function checkOneSession(has: (name: FlagName) => boolean): void {
  const given = (['session', 'continue', 'ephemeral'] as const).filter(has);
  const [first, second] = given;
  if (second === undefined) return;
  throw new UsageError(`--${first} and --${second} exclude each other`);
}

/** The parser has checked the choices already; this narrows the type. */
function oneOf<T extends string>(value: string | undefined, choices: readonly T[]): T | undefined {
  return choices.find((choice) => choice === value);
}

function readModel(value: string | undefined): CliOptions['model'] {
  if (value === undefined) return undefined;
  const slash = value.indexOf('/');
  const provider = slash === -1 ? value : value.slice(0, slash);
  const name = slash === -1 ? undefined : value.slice(slash + 1);
  if (provider === '' || name === '' || (name === undefined && provider !== 'offline')) {
    throw new UsageError(`--model: expected PROVIDER/NAME, got "${value}"`, {
      hint: 'for example --model openai-compatible/qwen3, or --model offline',
    });
  }
  return { provider, name };
}

/** A consent names its tool: no wildcard. */
function readYes(tools: readonly string[]): readonly string[] {
  const wildcard = tools.find((tool) => /[*?[\]{}!]/.test(tool));
  if (wildcard === undefined) return tools;
  throw new UsageError(`--yes takes names of tools, not patterns: "${wildcard}"`, {
    hint: 'name each tool as server/tool, or allow everything with --permissions auto',
  });
}

function readOutput(command: CommandName, value: string | undefined, json: boolean): OutputForm {
  const form = oneOf(value, ['text', 'json', 'stream-json']);
  if (form === 'stream-json' && command !== '') {
    throw new UsageError(`--output stream-json does not go with usher ${command}`);
  }
  if (json && form !== undefined && form !== 'json') {
    throw new UsageError(`--json and --output ${form} exclude each other`);
  }
  return json ? 'json' : (form ?? 'text');
}

function readCount(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const count = /^\d+$/.test(value) ? Number(value) : 0;
  if (count >= 1 && Number.isSafeInteger(count)) return count;
  throw new UsageError(`${flag}: expected a whole number of at least 1, got "${value}"`);
}

function readDuration(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, digits, unit] = DURATION.exec(value) ?? [];
  if (unit === 'ms' || unit === 's' || unit === 'm' || unit === 'h') {
    return Math.round(Number(digits) * UNIT_MS[unit]);
  }
  throw new UsageError(`${flag}: expected a duration, got "${value}"`, {
    hint: 'for example 250ms, 30s, 5m',
  });
}
