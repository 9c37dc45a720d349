/**
 * One authorization code by a person: an address is told and opened, the answer comes back through the loopback
 * listener or is pasted, whichever is first. @see RFC 6749 4.1, RFC 8252, MCP authorization
 */
import { raceAbort, startLimit } from '../base/abort.ts';
import { hostKind } from '../base/address.ts';
import { AuthError } from '../base/errors.ts';
import { nodeUrl } from '../base/lazy-node.ts';
import { escapeForTerminal, shorten } from '../base/text.ts';
import { acceptAnswer } from './authorization-answer.ts';
import { type AuthorizationTarget, startAuthorization } from './authorization-url.ts';
import type { CallbackListener } from './callback.ts';
import { type Answer, readPasted } from './pasted.ts';
import type { AuthPorts, Interaction, Subject } from './types.ts';

export interface AuthorizeRequest extends AuthorizationTarget {
  /** `undefined`: the answer can only be pasted. Stays open; the caller tells it with `finish` how the exchange ended. */
  readonly listener: CallbackListener | undefined;
}

export interface AuthorizedCode {
  /** `code`, and `state` and `iss` as checked; a bare code that was pasted comes alone. */
  readonly params: URLSearchParams;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** 5 minutes for the person. */
export const AUTHORIZE_MS = 5 * 60_000;
/** In a row: then what is pasted no longer counts. An ended input is empty again and again. */
const MAX_UNUSABLE = 5;

/**
 * Tells the address once, also when a browser opens. AuthError when the person refuses, the answer is not one to
 * this question, nobody answers within 5 minutes, or there is no way to be answered; otherwise the signal's reason.
 */
export async function authorize(
  request: AuthorizeRequest,
  ports: Pick<AuthPorts, 'clock'>,
  interaction: Interaction,
  signal: AbortSignal,
): Promise<AuthorizedCode> {
  const { subject, discovery, listener, redirectUri } = request;
  signal.throwIfAborted();
  if (listener === undefined && interaction.readPaste === undefined) {
    throw noWay(subject, 'nobody can paste the answer here');
  }
  const { url, state, verifier } = startAuthorization(request);
  const limit = startLimit(ports.clock, AUTHORIZE_MS, () => tooLate(subject));
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, limit.signal, ended.signal]);
  try {
    // The listener waits before the browser starts: its answer may come within milliseconds.
    const ways: Promise<Answer>[] = [];
    if (listener !== undefined) ways.push(calledBack(listener, state, stop));
    // Heard below; if telling fails before that, its end is nobody's news.
    for (const way of ways) way.catch(() => undefined);
    interaction.tell(linesFor(request, url, interaction));
    if (interaction.openUrl !== undefined) ways.push(opened(subject, url, interaction, stop));
    if (interaction.readPaste !== undefined) ways.push(pasted(request, interaction, stop));
    const answer = await raceAbort(Promise.race(ways), stop);
    const expected = { subject, metadata: discovery.metadata, state };
    return { params: acceptAnswer(answer, expected), verifier, redirectUri };
  } catch (error) {
    listener?.finish('refused', error instanceof Error ? error.message : 'it was ended');
    throw error;
  } finally {
    ended.abort(new AuthError(`${subject.label}: the sign-in has ended`));
    limit.dispose();
  }
}

async function calledBack(
  listener: CallbackListener,
  state: string,
  stop: AbortSignal,
): Promise<Answer> {
  return { kind: 'answer', params: await listener.wait(state, stop) };
}

/** No answer comes from here: rejects when nothing could be opened and nobody can paste, else when it is over. */
async function opened(
  subject: Subject,
  url: string,
  { openUrl, readPaste, tell }: Interaction,
  stop: AbortSignal,
): Promise<never> {
  const isOpen = (await openUrl?.(url)) ?? false;
  stop.throwIfAborted();
  if (!isOpen && readPaste === undefined) throw noWay(subject, 'no browser could be started here');
  if (!isOpen) tell(['no browser could be started here: open the address yourself']);
  return untilAborted(stop);
}

/** What cannot be used is asked for again. */
async function pasted(
  { subject, listener }: AuthorizeRequest,
  { readPaste, tell }: Interaction,
  stop: AbortSignal,
): Promise<Answer> {
  for (let unusable = 0; unusable < MAX_UNUSABLE; unusable += 1) {
    const text = (await readPaste?.(stop)) ?? '';
    stop.throwIfAborted();
    const answer = readPasted(text);
    if (answer.kind !== 'unusable') return answer;
    tell([answer.why]);
  }
  if (listener === undefined) throw noWay(subject, 'nothing that was pasted could be used');
  return untilAborted(stop);
}

function untilAborted(stop: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    stop.addEventListener('abort', () => reject(stop.reason), { once: true });
  });
}

function linesFor(
  { subject, discovery, scope }: AuthorizeRequest,
  url: string,
  { openUrl, readPaste }: Interaction,
): readonly string[] {
  return [
    `open this address to sign in to ${subject.label}${scopeNote(scope)}:`,
    url,
    ...hostNotes(url, discovery.metadata.issuer),
    ...(openUrl === undefined ? [] : ['trying to open it in a browser']),
    ...(readPaste === undefined
      ? []
      : ['if the browser cannot come back here: paste the address that it ends at, or the code']),
    'waiting for 5 minutes at most; Ctrl-C gives up',
  ];
}

const MAX_SCOPE = 200;

/** What is asked for: after a refusal it is more than before. */
function scopeNote(scope: string | undefined): string {
  return scope === undefined ? '' : `, for ${shorten(escapeForTerminal(scope), MAX_SCOPE)}`;
}

/** Whom the person is about to trust, where that is not who was asked for, or hard to read. */
export function hostNotes(url: string, issuer: string): readonly string[] {
  const { host, hostname, protocol } = new URL(url);
  const notes: string[] = [];
  if (!URL.canParse(issuer) || host !== new URL(issuer).host) {
    notes.push(`it leads to ${host}; the authorization server is ${issuer}`);
  }
  if (hostname.split('.').some((label) => label.startsWith('xn--'))) {
    const shown = escapeForTerminal(nodeUrl().domainToUnicode(hostname));
    notes.push(`its host ${hostname} reads as ${shown}: it may imitate a name that you know`);
  }
  if (protocol === 'http:' && hostKind(hostname) !== 'loopback') {
    notes.push('it is not encrypted (http)');
  }
  return notes;
}

function noWay(subject: Subject, why: string): AuthError {
  return new AuthError(`${subject.label}: ${why}`, { hint: `${subject.command} --print-url` });
}

function tooLate(subject: Subject): AuthError {
  return new AuthError(`${subject.label}: nobody finished the sign-in within 5 minutes`, {
    hint: `${subject.command}; where the browser showed that usher is not known there, ${subject.command.replace(/ login /, ' logout ')} first`,
  });
}
