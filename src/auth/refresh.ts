/**
 * Refreshes a token that nears its end or was refused: once, whoever asks, in this process or another. A refresh
 * token that is used twice may end the whole login (RFC 9700 4.14.2), so a login that others changed is taken over.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { AppError, type ErrorCode, FailedError, LimitError } from '../base/errors.ts';
import { type SharedWork, shareWork } from '../base/shared-work.ts';
import type { LoginStore, StoredLogin } from './types.ts';

export interface FreshRequest {
  readonly store: LoginStore;
  /** As the caller has it. */
  readonly login: StoredLogin;
  /** The access token that was refused; `undefined`: none was. */
  readonly used: string | undefined;
  /**
   * Asks the authorization server; must not end with the caller's request, for an answer that nobody takes is a lost
   * login. An AppError with `details.error` `invalid_grant` says that this refresh token is worth nothing.
   */
  readonly refresh: (login: StoredLogin) => Promise<StoredLogin>;
  readonly clock: Clock;
  /** Ends the wait of this caller alone. */
  readonly signal: AbortSignal;
}

/** A token that ends within 30 s is refreshed ahead. */
const AHEAD_MS = 30_000;
/** Between two attempts in this process; a token that was given just now is not questioned, whatever its time says. */
const PAUSE_MS = 5000;

/** What this process remembers of one login. */
interface Note {
  flight?: SharedWork<StoredLogin | undefined>;
  /** `Clock.now()` when the last attempt began, or failed. */
  attemptAt?: number;
  /** What it failed with, and for which token. */
  failure?: { readonly from: string; readonly error: unknown };
  /** Refreshed, but the store did not take it. */
  unsaved?: { readonly from: string; readonly login: StoredLogin };
}

/** Refreshes that were sent; an answer that nobody stores loses the login. */
const sent = new Set<Promise<unknown>>();

const notes = new WeakMap<LoginStore, Map<string, Note>>();

/**
 * A login whose token may be sent, stored already; `undefined`: a new sign-in is needed. A refresh token that the
 * server refuses is removed with its login; the client in `login` may serve again. Rejects with what `refresh`
 * rejected with, unless the token at hand still holds; with `invalid_client` always.
 */
export async function freshTokens(request: FreshRequest): Promise<StoredLogin | undefined> {
  const { login, used, clock, signal } = request;
  signal.throwIfAborted();
  if (isGood(login, used, clock)) return login;
  const note = noteOf(request.store, login.key);
  for (;;) {
    const running = note.flight?.isOpen === true ? note.flight : undefined;
    const flight = running ?? shareWork((stop) => fly(note, request, stop));
    note.flight = flight;
    const found = await flight.join(signal);
    // Another caller's refresh may have brought the very token that was refused to this one.
    if (running === undefined || found === undefined || found.tokens.accessToken !== used) {
      return found;
    }
  }
}

async function fly(
  note: Note,
  request: FreshRequest,
  signal: AbortSignal,
): Promise<StoredLogin | undefined> {
  const { store, used, clock } = request;
  const { key } = request.login;
  const found = await store.read(key);
  // Signed out meanwhile, or refreshed by somebody else.
  if (found === undefined || isGood(found, used, clock)) return found;
  const isHolding = holds(found, used, clock);
  const waitMs = (note.attemptAt ?? Number.NEGATIVE_INFINITY) + PAUSE_MS - clock.now();
  if (waitMs > 0 && note.unsaved === undefined) {
    if (isHolding) return found;
    // Whoever asks again within the pause would get the same.
    if (note.failure?.from === found.tokens.accessToken) throw note.failure.error;
    await sleep(clock, waitMs, signal);
  }
  try {
    return await store.alone(key, signal, async () => {
      const stored = await store.read(key);
      if (stored === undefined) return undefined;
      const { unsaved } = note;
      if (unsaved?.from === stored.tokens.accessToken) return save(note, request, unsaved);
      return isGood(stored, used, clock) ? stored : renew(note, request, stored);
    });
  } catch (error) {
    // Another process takes its time, or the disk is full: nothing was asked for, the token at hand will do.
    const isUnasked = error instanceof LimitError || error instanceof FailedError;
    if (isHolding && isUnasked && note.unsaved === undefined) return found;
    throw error;
  }
}

/** Settles when every refresh that was sent has been answered and stored, or has failed. Each has its own limit. */
export async function refreshesSettled(): Promise<void> {
  await Promise.allSettled(sent);
}

/** Under the lock: nobody else refreshes `current`. */
function renew(
  note: Note,
  request: FreshRequest,
  current: StoredLogin,
): Promise<StoredLogin | undefined> {
  const renewal = renewNow(note, request, current).finally(() => sent.delete(renewal));
  sent.add(renewal);
  return renewal;
}

async function renewNow(
  note: Note,
  request: FreshRequest,
  current: StoredLogin,
): Promise<StoredLogin | undefined> {
  const { store, used, clock } = request;
  const from = current.tokens.accessToken;
  const isHolding = holds(current, used, clock);
  if (current.tokens.refreshToken === undefined) return isHolding ? current : undefined;
  note.attemptAt = clock.now();
  delete note.failure;
  let next: StoredLogin;
  try {
    next = await request.refresh(current);
  } catch (error) {
    // A server that does not answer is not waited for again at once.
    note.attemptAt = clock.now();
    const word = error instanceof AppError ? error.details['error'] : undefined;
    if (word === 'invalid_grant') return takeOverOrRemove(store, current);
    if (isHolding && word !== 'invalid_client' && isOfOthers(error)) return current;
    note.failure = { from, error };
    throw error;
  }
  return save(note, request, { from, login: { ...next, savedAt: clock.date().getTime() } });
}

/** What the store does not take is kept in mind: the refresh token it replaces is worth nothing any more. */
async function save(
  note: Note,
  { store }: FreshRequest,
  fresh: { readonly from: string; readonly login: StoredLogin },
): Promise<StoredLogin> {
  note.unsaved = fresh;
  await store.write(fresh.login);
  delete note.unsaved;
  return fresh.login;
}

/** Somebody who signed in without waiting for us may have put another login there. */
async function takeOverOrRemove(
  store: LoginStore,
  refused: StoredLogin,
): Promise<StoredLogin | undefined> {
  const stored = await store.read(refused.key);
  if (stored === undefined) return undefined;
  const { accessToken, refreshToken } = stored.tokens;
  const { tokens } = refused;
  if (accessToken !== tokens.accessToken || refreshToken !== tokens.refreshToken) return stored;
  await store.remove(refused.key);
  return undefined;
}

function isGood(login: StoredLogin, used: string | undefined, clock: Clock): boolean {
  const { accessToken, expiresAt, refreshToken } = login.tokens;
  if (accessToken === used) return false;
  const now = clock.date().getTime();
  const ageMs = now - login.savedAt;
  if (expiresAt === undefined || (ageMs >= 0 && ageMs < PAUSE_MS)) return true;
  return expiresAt - now > (refreshToken === undefined ? 0 : AHEAD_MS);
}

/** Neither refused nor at its end. */
function holds({ tokens }: StoredLogin, used: string | undefined, clock: Clock): boolean {
  const { accessToken, expiresAt } = tokens;
  return accessToken !== used && (expiresAt === undefined || expiresAt > clock.date().getTime());
}

/** A failure of the network or of the authorization server; ours are not hidden behind a token that holds. */
function isOfOthers(error: unknown): boolean {
  const ours: readonly ErrorCode[] = ['internal', 'interrupted', 'config'];
  return error instanceof AppError && !ours.includes(error.code);
}

function noteOf(store: LoginStore, key: string): Note {
  const ofStore = notes.get(store) ?? new Map<string, Note>();
  notes.set(store, ofStore);
  const note = ofStore.get(key) ?? {};
  ofStore.set(key, note);
  return note;
}
