/** `usher mcp add` and `add-json`: write one server into a configuration file. Nothing is connected to. */
import { resolve } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { isJsonObject, type JsonObject, tryParseJson } from '../../base/json.ts';
import { hasReference } from '../../config/expand.ts';
import { fromForeign } from '../../config/mcp-json.ts';
import { newEntryProblems } from '../../config/new-entry.ts';
import { signatureOf, toolsOf } from '../../config/signature.ts';
import { entriesOf, namedTarget, writeTarget } from '../../config/targets.ts';
import { recordChoice } from '../../config/trust.ts';
import { editFile, type Written } from '../../config/write.ts';
import type { Context } from '../context.ts';
import type { OAuthOptions } from '../options.ts';
import { isUrl } from '../url-server.ts';

/** `NAME URL`, `NAME -- PROGRAM ARG …` (the last `dashed` words), or `NAME --command PROGRAM`. */
export async function runAdd(
  context: Context,
  words: readonly string[],
  dashed: number,
): Promise<ExitCode> {
  const { edit, headers, bearerEnv, oauth } = context.options;
  const program = words.slice(words.length - dashed);
  const [name, url, ...more] = words.slice(0, words.length - dashed);
  if (name === undefined) throw new UsageError('which name?', { hint: USE });
  if (more.length > 0) throw new UsageError(`unexpected argument "${more[0]}"`, { hint: USE });
  const [behindDashes, ...behindArgs] = program;
  const command = edit.command ?? behindDashes;
  const ways = [url, edit.command, behindDashes].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    const problem = ways.length === 0 ? 'what is the server?' : 'a server is one thing only';
    throw new UsageError(`mcp add: ${problem}`, { hint: USE });
  }
  if (url !== undefined && !isUrl(url)) {
    throw new UsageError(`"${url}" is no URL`, { hint: `a program goes behind --: ${USE}` });
  }
  const args = [...edit.args, ...behindArgs];
  return addEntry(context, {
    name,
    ...(url === undefined ? {} : { url }),
    ...(command === undefined ? {} : { command }),
    ...(args.length === 0 ? {} : { args }),
    ...block('env', pairs('--env', edit.env, /^([^=]+)=([\s\S]*)$/)),
    ...text('cwd', edit.cwd),
    ...text('transport', edit.transport),
    ...block('headers', pairs('--header', headers, /^([^:=\s]+)\s*[:=]\s*([\s\S]*)$/)),
    ...authOf(bearerEnv, oauth, context.cwd),
    ...text('exposure', edit.exposure),
    ...text('description', edit.description),
    ...(edit.allowPrivate ? { allowPrivate: true } : {}),
  });
}

/** An entry as JSON, in our spelling or as other hosts write it. */
export async function runAddJson(context: Context, words: readonly string[]): Promise<ExitCode> {
  const [name, json, ...more] = words;
  const hint = `usher mcp add-json NAME '{"command": "npx", "args": ["-y", "package"]}'`;
  if (name === undefined || json === undefined || more.length > 0) {
    throw new UsageError('mcp add-json takes a name and one JSON object', { hint });
  }
  const entry = tryParseJson(json);
  if (!isJsonObject(entry)) throw new UsageError('the second argument is no JSON object', { hint });
  const { name: own = name, ...rest } = entry;
  if (own !== name) throw new UsageError(`the JSON calls the server ${JSON.stringify(own)}`);
  const translated: unknown = fromForeign(name, rest);
  return addEntry(context, isJsonObject(translated) ? { ...translated, name } : { name });
}

const USE = 'usher mcp add NAME URL, or usher mcp add NAME -- PROGRAM ARG ...';

async function addEntry(
  context: Context,
  entry: JsonObject & { readonly name: string },
): Promise<ExitCode> {
  const { options, env, cwd } = context;
  const { problems, flags } = newEntryProblems(entry);
  if (problems.length > 0) {
    throw new UsageError(`server ${entry.name} cannot be written:\n${problems.join('\n')}`, {
      hint: flags.length === 0 ? USE : `write ${flags.join(' ')}`,
    });
  }
  const query = { configFlag: options.config, env, cwd };
  if (namedTarget(query) !== undefined && options.edit.scope !== undefined) {
    throw new UsageError('--scope does not go with a file named by --config or $USHER_CONFIG');
  }
  const source = writeTarget(query, options.edit.scope ?? 'user');
  const { found, names, hasDefaults } = await entriesOf(query, entry.name);
  const twin = found.find((other) => other.source.path === source.path);
  if (twin !== undefined) {
    const { line } = twin.file.lineAt(twin.file.offsetOf(twin.path));
    const scope = options.edit.scope === undefined ? '' : ` --scope ${options.edit.scope}`;
    throw new UsageError(`server ${entry.name} stands in ${source.label}:${line} already`, {
      hint: `usher mcp remove ${entry.name}${scope} takes it out`,
    });
  }
  refuseNearName(entry.name, names);
  const written = await editFile(source, { kind: 'add', entry });
  const above = found.findLast((other) => RANKS[other.source.scope] > RANKS[source.scope]);
  if (above !== undefined) {
    context.log.warn(
      `server ${entry.name} also stands in ${above.source.label}, which goes over this file`,
      `usher mcp get ${entry.name} shows what holds`,
    );
  }
  if (source.scope === 'project') approveOwn(context, written);
  tell(context, entry.name, 'added', source.scope, written);
  const isReplaced = hasDefaults && source.scope !== 'project' && source.scope !== 'named';
  if (isReplaced && ![...names, entry.name].includes('workspace')) tellReplaced(context);
  return EXIT.ok;
}

/** The first entry of a person's own takes the place of what was there by itself. */
function tellReplaced({ log }: Context): void {
  log.info(
    `the built-in workspace is no longer there by itself: usher mcp add-json workspace '{"builtin": "workspace"}' adds it`,
  );
}

const RANKS = { named: 0, user: 1, project: 2, local: 3 } as const;

/** `a-b` beside `a_b` would cost both. */
function refuseNearName(name: string, names: readonly string[]): void {
  const clean = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const near = names.find((other) => other !== name && clean(other) === clean(name));
  if (near === undefined) return;
  throw new UsageError(`${name} and ${near} are the same name in tool names; take another`);
}

/** Who types it has decided already. */
function approveOwn({ env, log }: Context, { file, entry }: Written): void {
  const raw = entry?.raw;
  if (entry?.name === undefined || typeof raw !== 'object' || raw === null) return;
  try {
    const question = { file, name: entry.name, signature: signatureOf(raw), tools: toolsOf(raw) };
    recordChoice(env, question, 'approved');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    log.warn(error.message, `usher mcp approve ${entry.name}`);
  }
}

/** Says where the entry stands, and what tests it. */
export function tell(
  { options, output }: Context,
  name: string,
  action: string,
  scope: string,
  { file, label, line }: Written,
): void {
  const test = `usher tools ${name}${options.config === undefined ? '' : ` --config ${options.config}`}`;
  if (options.output === 'json') {
    const isThere = action !== 'removed' && action !== 'disabled';
    output.json({ name, action, scope, file, line, ...(isThere ? { test } : {}) });
    return;
  }
  output.text(`${label}:${line}: server ${name} ${action} (${scope})\n`);
  if (action === 'added' || action === 'enabled') output.text(`test it: ${test}\n`);
}

function pairs(flag: string, texts: readonly string[], shape: RegExp): JsonObject {
  const found: Record<string, string> = {};
  for (const given of texts) {
    const [, name, value = ''] = shape.exec(given) ?? [];
    // The text may be a secret that was typed in the wrong form.
    if (name === undefined) throw new UsageError(`${flag}: expected a name and a value`);
    if (Object.hasOwn(found, name)) throw new UsageError(`${flag}: ${name} is given twice`);
    found[name] = value;
  }
  return found;
}

/** Files are written as absolute paths: the configuration stands elsewhere. */
function authOf(bearerEnv: string | undefined, oauth: OAuthOptions, cwd: string): JsonObject {
  const { privateKey, idp, assertion, ...rest } = oauth;
  const file = (path: string | undefined) =>
    path === undefined || hasReference(path) ? path : resolve(cwd, path);
  const settings = {
    ...rest,
    privateKeyFile: file(privateKey),
    assertionFile: file(assertion),
    idpFile: file(idp),
  };
  const given = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  if (given.length === 0) {
    return bearerEnv === undefined ? {} : { auth: { type: 'bearer', tokenEnv: bearerEnv } };
  }
  if (bearerEnv !== undefined) {
    throw new UsageError('--bearer-env and flags about a sign-in exclude each other');
  }
  return { auth: { type: 'oauth', ...Object.fromEntries(given) } };
}

function block(key: string, value: JsonObject): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [key]: value };
}

function text(key: string, value: string | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
