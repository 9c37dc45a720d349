/** `usher skill`: loads one skill of a server and verifies all its files. */
import { UsageError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { Context } from '../context.ts';
import { readOffer, serverOf, withOffers } from '../offers.ts';
import { findServer } from '../target.ts';
import { noMoreWords } from '../words.ts';

/** Prints SKILL.md as it is, once every file is what the server lists. `--json`: its parts and files. */
export async function runSkill(context: Context, words: readonly string[]): Promise<ExitCode> {
  const [server, uri, ...rest] = words;
  if (server === undefined || uri === undefined) {
    throw new UsageError('skill: which skill?', { hint: 'usher skills lists them' });
  }
  noMoreWords(rest, 'skill');
  const target = await findServer(context, server);
  return withOffers(context, target, async (host) => {
    const request = { kind: 'skill', server: serverOf(target), uri } as const;
    const outcome = await readOffer(context, host, request);
    if (typeof outcome === 'number') return outcome;
    const { raw, content } = outcome.result;
    tellState(context, raw);
    if (context.options.output === 'json') context.output.json(raw);
    else context.output.text(content.map(({ text }) => String(text)).join('\n'));
    context.output.breakLine();
    return EXIT.ok;
  });
}

function tellState({ log }: Context, raw: JsonValue): void {
  if (!isJsonObject(raw)) return;
  const { files, ignored } = raw;
  if (raw['verified'] !== true) {
    log.warn('the server lists no digests for this skill: nothing could be verified');
  } else if (Array.isArray(files)) {
    log.info(`verified ${files.length} file${files.length === 1 ? '' : 's'}`);
  }
  if (Array.isArray(ignored) && ignored.length > 0) {
    log.info(`a skill of a server permits nothing; not applied: ${ignored.join(', ')}`);
  }
}
