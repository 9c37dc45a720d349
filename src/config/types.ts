/**
 * The configuration as the rest of usher sees it: checked, expanded, every default filled in.
 * Durations are milliseconds. Secrets are never in here, only the names of their variables.
 */
import type { CallRule } from '../base/call-rules.ts';
import type { TlsFiles } from '../base/tls-files.ts';
import type { AuthEntry, OAuthEntry } from './schema/auth.ts';
import type { Exposures, SearchEntry } from './schema/exposure.ts';
import type { ModelEntry } from './schema/model.ts';
import type { PermissionMode, ServerEntry } from './schema/server.ts';

export type { PermissionMode };

/** How a server is shown who we are. Files are absolute paths, texts expanded. */
export type ServerAuth =
  | Exclude<AuthEntry, { readonly type: 'command' }>
  | {
      readonly type: 'command';
      /** The executable, then its arguments. */
      readonly command: readonly string[];
      /** Names of own variables handed on to it. */
      readonly envPass: readonly string[];
      /** Folder of the configuration file, absolute. */
      readonly cwd: string;
    };

/** One of `logins:`; `issuer` or `authServerMetadataUrl` is there. */
export interface LoginConfig extends Readonly<OAuthEntry> {
  readonly issuer?: string;
  /** Sent as `resource` (RFC 8707); absent: none. */
  readonly resource?: string;
  /** Its addresses may be private ones, and http. */
  readonly allowPrivate: boolean;
}

/** Where a server's messages travel. Exactly one of url, command, builtin stands in the entry. */
export type ServerEndpoint =
  | {
      /** Streamable HTTP, legacy HTTP+SSE or WebSocket. */
      readonly kind: 'http' | 'sse' | 'ws';
      readonly url: string;
      /** Static headers, `${VAR}` expanded. */
      readonly headers: Readonly<Record<string, string>>;
      readonly auth: ServerAuth | undefined;
      readonly allowPrivate: boolean;
      /** A URL, with userinfo if written so, or `none`; absent: as the environment says. */
      readonly proxy?: string;
      /** Absolute paths of PEM files. */
      readonly tls?: TlsFiles;
      /** Default `same-origin`. */
      readonly redirects?: 'same-origin' | 'refuse';
      /** Asked for further headers at every connection; they win over `headers`. Only HTTP. */
      readonly headersCommand?: {
        /** The executable, then its arguments, `${VAR}` expanded. */
        readonly argv: readonly string[];
        /** Names of own variables handed on to it. */
        readonly envPass: readonly string[];
        /** Folder of the configuration file, absolute. */
        readonly cwd: string;
      };
    }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly envPass: readonly string[];
      /** Absolute. */
      readonly cwd: string;
    }
  | { readonly kind: 'builtin'; readonly builtin: 'workspace' };

export interface ServerExpectation {
  /** Original names. */
  readonly tools?: readonly string[];
  readonly minTools?: number;
  /** A text or glob. */
  readonly serverVersion?: string;
}

export interface CallLimits {
  readonly idleMs: number;
  readonly maxMs: number;
}

export interface ServerConfig {
  readonly name: string;
  readonly endpoint: ServerEndpoint;
  readonly enabled: boolean;
  readonly required: boolean;
  readonly description: string | undefined;
  /** Allowlist patterns on original names; `undefined` = all. */
  readonly tools: readonly string[] | undefined;
  /** `undefined`: `mcp.permissions` holds (a built-in: auto). */
  readonly permissions: PermissionMode | undefined;
  readonly toolPermissions: Readonly<Record<string, 'ask' | 'auto' | 'deny'>>;
  readonly trustAnnotations: boolean;
  /** What has to be there at the start. */
  readonly expect?: ServerExpectation;
  readonly exposure: Exposures;
  /** By original name or glob, in file order. Default: none. */
  readonly toolExposure?: Readonly<Record<string, Exposures>>;
  /** Most tokens that the declarations of its tools may cost. Default: no limit. */
  readonly maxToolTokens?: number;
  readonly binary: 'drop' | 'keep';
  readonly instructions: 'off' | 'summary' | 'full';
  /** `ask`: the server may ask the model, a person allows each time. Default `off`. */
  readonly sampling?: 'off' | 'ask';
  readonly protocol: 'auto' | 'legacy' | '2026-07-28';
  readonly restartOnTimeout: boolean;
  readonly timeout: CallLimits & {
    readonly connectMs: number;
    /** By original tool name; a missing clock falls back to the server's. */
    readonly tools: Readonly<Record<string, Partial<CallLimits>>>;
  };
}

export type ModelConfig = Omit<ModelEntry, 'timeout'> & {
  readonly timeout: { readonly firstByteMs: number; readonly idleMs: number };
};

export interface McpConfig {
  readonly permissions: PermissionMode;
  readonly naming: 'server_tool' | 'mcp';
  readonly patienceMs: number;
}

/** What `defaultTools` changes in what a model is offered. */
export interface DefaultTools {
  /** `+mcp_meta`: servers are used by original names through mcp_list, mcp_call, mcp_read, mcp_prompt. */
  readonly hasMeta: boolean;
  /** `+codemode`: scripts that call tools are offered whatever servers say. Default false. */
  readonly hasScripts?: boolean;
  /** `-PATTERN`: patterns on `server/tool`, public names or original names. */
  readonly without: readonly string[];
}

/** A program asked about calls or results; no shell. */
export interface HookCommand {
  /** A name looked up in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** `config.yaml:12`. */
  readonly place: string;
}

export interface HooksConfig {
  readonly toolCall: readonly HookCommand[];
  readonly toolResult: readonly HookCommand[];
}

/** Where files made of results are kept, and for how long. */
export interface ArtifactsConfig {
  /** Absolute; `undefined`: in the state directory. */
  readonly dir: string | undefined;
  /** Absent: the default. */
  readonly retention?: {
    readonly maxAgeMs: number | undefined;
    readonly maxFiles: number | undefined;
  };
}

/** With an OpenAI-compatible endpoint that ranks by meaning, or without. */
export type SearchConfig = SearchEntry;

/** A problem of the configuration that does not stop the run. */
export interface ConfigWarning {
  /** `file:line:col path: text`, where known. */
  readonly message: string;
  readonly hint: string | undefined;
  /** The server that is skipped because of it. */
  readonly skipped: string | undefined;
  /** The skipped entry says `required: true`: no run without it. */
  readonly required?: boolean;
  /** The server that waits for an approval. */
  readonly pending?: string;
}

export interface Config {
  /** Files that were read, in order. Empty: none found. */
  readonly files: readonly string[];
  /** `undefined`: no model configured, the offline router answers. */
  readonly model: ModelConfig | undefined;
  readonly mcp: McpConfig;
  readonly defaultTools: DefaultTools;
  /** Default: in the state directory, for 30 days. */
  readonly artifacts?: ArtifactsConfig | undefined;
  /** Default none. */
  readonly rules?: readonly CallRule[];
  /** Default none. */
  readonly hooks?: HooksConfig;
  /** How tools are found. Default: without network. */
  readonly search?: SearchConfig;
  /** By name. Default none. */
  readonly logins?: Readonly<Record<string, LoginConfig | undefined>>;
  readonly servers: readonly ServerConfig[];
  /** Its one server is a bare URL of the command line: what a person types to name it, flags and all. */
  readonly loginWords?: string;
  readonly warnings: readonly ConfigWarning[];
  /** Entries that could not be used; they count as failed servers. */
  readonly skipped: readonly string[];
  /** Servers of project files that nobody approved, or that were rejected: not in `servers`. Default none. */
  readonly pending?: readonly PendingServer[];
  /** `NAME.permissions` and `NAME.toolPermissions.PATTERN` → `config.yaml:12`. Default none known. */
  readonly permissionPlaces?: ReadonlyMap<string, string>;
  /** Where each server comes from, by name. */
  readonly origins?: Readonly<Record<string, ServerOrigin | undefined>>;
}

export interface ServerOrigin {
  readonly scope: 'named' | 'user' | 'project' | 'local';
  /** Absolute. */
  readonly file: string;
}

export interface PendingServer {
  readonly name: string;
  /** Absolute path of the project file. */
  readonly file: string;
  /** `.mcp.json:3` */
  readonly place: string;
  /** `changed`: decided on before, but the entry is another one now. */
  readonly state: 'pending' | 'changed' | 'rejected';
  readonly enabled: boolean;
  /** Of the entry as it is now. */
  readonly signature: string;
  /** What it would start and what it asks for, as key and text; no secret, not escaped for a terminal. */
  readonly facts: readonly (readonly [key: string, text: string])[];
}

/** Extracted for callers that only need the raw entry's type. */
export type { ServerEntry };
