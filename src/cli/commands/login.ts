/** `usher mcp login|logout` for servers, `usher login|logout` for what `logins:` describes. */
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { ServerConfig } from '../../config/types.ts';
import type { SignInHow, SignInOutcome, SignInRequest, SignIns } from '../../host/sign-ins.ts';
import type { Context } from '../context.ts';
import { loadConfig } from '../house.ts';
import { interactionOf } from '../sign-in.ts';
import { linesOf } from '../stdin-lines.ts';
import { findServer } from '../target.ts';
import { oneWord } from '../words.ts';

/** Signs in to one server, configured or named by its URL. */
export async function runServerLogin(
  context: Context,
  words: readonly string[],
): Promise<ExitCode> {
  const { server, signIns } = await findSignIn(context, words, 'login');
  return login(context, `server ${server.name}`, (request) =>
    signIns.signIn(server, request, context.signal),
  );
}

/** Revokes and forgets the tokens of one server. */
export async function runServerLogout(
  context: Context,
  words: readonly string[],
): Promise<ExitCode> {
  const { server, signIns } = await findSignIn(context, words, 'logout');
  return tellLogout(context, server.name, await signIns.signOut(server, context.signal));
}

export async function runLogin(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { name, signIns } = await findNamed(context, words, 'login');
  return login(context, name, (request) => signIns.signInNamed(name, request, context.signal));
}

export async function runLogout(context: Context, words: readonly string[]): Promise<ExitCode> {
  const { name, signIns } = await findNamed(context, words, 'logout');
  return tellLogout(context, name, await signIns.signOutNamed(name, context.signal));
}

async function findSignIn(
  context: Context,
  words: readonly string[],
  action: 'login' | 'logout',
): Promise<{ readonly server: ServerConfig; readonly signIns: SignIns }> {
  const word = oneWord(words, `mcp ${action}`);
  if (word === undefined) throw new UsageError('which server?', { hint: 'usher mcp list' });
  const { config, servers } = await findServer(context, word);
  const [name = config.servers[0]?.name] = servers ?? [];
  const server = config.servers.find((one) => one.name === name);
  if (server === undefined) throw new UsageError(`unknown server "${word}"`);
  return { server, signIns: await context.parts.createSignIns(config, context, context) };
}

async function findNamed(
  context: Context,
  words: readonly string[],
  action: 'login' | 'logout',
): Promise<{ readonly name: string; readonly signIns: SignIns }> {
  const name = oneWord(words, action);
  if (name === undefined) {
    throw new UsageError(`${action}: which login of logins:?`, {
      hint: `for a server: usher mcp ${action} NAME`,
    });
  }
  const config = await loadConfig(context);
  return { name, signIns: await context.parts.createSignIns(config, context, context) };
}

async function login(
  context: Context,
  what: string,
  signIn: (request: SignInRequest) => Promise<SignInOutcome>,
): Promise<ExitCode> {
  const { scope } = context.options.oauth;
  const interaction = interactionOf(context);
  try {
    const how = await howOf(context, interaction);
    return tellLogin(context, what, await signIn({ how, scope }));
  } finally {
    interaction.close();
  }
}

async function howOf(
  context: Context,
  interaction: Extract<SignInHow, { kind: 'here' }>['interaction'],
): Promise<SignInHow> {
  const { printUrl, code, isByDevice } = context.options.login;
  if (printUrl) return { kind: 'address' };
  if (code === undefined) {
    const isAsked = !context.options.noInput;
    return { kind: 'here', interaction: isAsked ? interaction : NOBODY, isByDevice };
  }
  return { kind: 'code', pasted: code === '-' ? await readCode(context) : code };
}

/** `--no-input`: a grant without a person goes through, anything else says that nobody is asked. */
const NOBODY: Extract<SignInHow, { kind: 'here' }>['interaction'] = {
  openUrl: undefined,
  readPaste: undefined,
  tell() {
    throw new UsageError('--no-input: nobody is asked to sign in', {
      hint: '--print-url gives the address; --code finishes it later',
    });
  },
};

/** The first line that says something; empty: none did. */
async function readCode({ stdin, signal }: Context): Promise<string> {
  for await (const line of linesOf(stdin.read(), signal)) {
    if (line.trim() !== '') return line;
  }
  return '';
}

function tellLogin(context: Context, what: string, outcome: SignInOutcome): ExitCode {
  const { output, options, screen, log } = context;
  if (outcome.kind === 'address') {
    if (options.output === 'json') output.json({ url: outcome.url });
    else output.text(`${outcome.url}\n`);
    if (!options.quiet) {
      for (const line of outcome.lines) screen.line(line);
    }
    return EXIT.ok;
  }
  const { scope, expiresAt, issuer, tools, trouble, refused } = outcome;
  if (options.output === 'json') {
    output.json({
      signedIn: true,
      issuer,
      ...(scope === undefined ? {} : { scope }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(tools === undefined ? {} : { tools }),
      ...(refused.length === 0 ? {} : { refusedScopes: refused }),
      ...(trouble === undefined ? {} : { trouble: trouble.message }),
    });
  } else {
    const facts = [
      `by ${issuer}`,
      ...(scope === undefined ? [] : [`scope ${scope}`]),
      ...(tools === undefined ? [] : [`${tools} ${tools === 1 ? 'tool' : 'tools'}`]),
    ];
    output.text(`signed in to ${what}: ${facts.join(', ')}\n`);
  }
  if (refused.length > 0) log.warn(`not granted: ${refused.join(' ')}`);
  if (trouble === undefined) return EXIT.ok;
  log.warn(trouble.message, trouble.hint);
  return trouble.exit;
}

function tellLogout({ output, options }: Context, what: string, wasKept: boolean): ExitCode {
  if (options.output === 'json') output.json({ signedOut: wasKept });
  else output.text(wasKept ? `signed out of ${what}\n` : `nothing was kept for ${what}\n`);
  return EXIT.ok;
}
