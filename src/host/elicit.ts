/**
 * Answers what servers ask a person for: by the plan of `--elicit`, else by the person at the terminal,
 * else with cancel. Says on stderr what was answered without a person.
 */
import { matchesGlob } from '../base/glob.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { OpenUrl } from '../base/open-url.ts';
import type {
  AnswerElicitation,
  Elicitation,
  ElicitationAnswer,
} from '../mcp/handlers/elicitation.ts';
import { formDefaults, formProblems } from '../mcp/handlers/form-check.ts';
import { askForm } from './elicit-form.ts';
import { askUrl } from './elicit-url.ts';
import { quoteInline } from './quote.ts';
import type { Talk } from './talk.ts';

/** One answer of an `--elicit` file; the first that fits counts. */
export interface ElicitRule {
  /** The configured name; absent = every server. */
  readonly server?: string | undefined;
  /** A glob on the whole message; absent = every message. */
  readonly match?: string | undefined;
  readonly action: 'accept' | 'decline' | 'cancel';
  /** Put over the defaults of the schema. */
  readonly content?: JsonObject | undefined;
}

/** `accept`: with the defaults of the schema. A list answers alone: what fits no rule is cancelled. */
export type ElicitPlan = 'accept' | 'decline' | readonly ElicitRule[];

export interface ElicitPorts {
  readonly plan: ElicitPlan | undefined;
  /** `undefined`: nobody is there. Already one conversation at a time. */
  readonly talk: Talk | undefined;
  readonly openUrl: OpenUrl;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

export function createElicitAnswers(ports: ElicitPorts): AnswerElicitation {
  const { plan, talk, log } = ports;
  return async (request, signal) => {
    if (plan !== undefined) return answerByPlan(plan, request, log);
    if (talk === undefined) {
      log.warn(
        `${sayWho(request)}: cancelled, nobody is here to answer`,
        '--elicit accept, decline or FILE answers without a person',
      );
      return { action: 'cancel' };
    }
    return talk(
      (dialogue) =>
        request.mode === 'form'
          ? askForm(request, dialogue)
          : askUrl(request, dialogue, ports.openUrl),
      signal,
    );
  };
}

function answerByPlan(
  plan: ElicitPlan,
  request: Elicitation,
  log: ElicitPorts['log'],
): ElicitationAnswer {
  if (typeof plan === 'string') return answerBy({ action: plan }, request, log);
  const rule = plan.find(
    ({ server, match }) =>
      (server === undefined || server === request.server) &&
      (match === undefined || matchesGlob(match, request.message)),
  );
  if (rule !== undefined) return answerBy(rule, request, log);
  log.warn(`${sayWho(request)}: cancelled, no entry of the --elicit file fits`);
  return { action: 'cancel' };
}

function answerBy(
  { action, content }: ElicitRule,
  request: Elicitation,
  log: ElicitPorts['log'],
): ElicitationAnswer {
  if (action !== 'accept') {
    log.info(`${sayWho(request)}: answered ${action} (--elicit)`);
    return { action };
  }
  if (request.mode === 'url') {
    log.warn(`${sayWho(request)}: accepted (--elicit)`, `open ${request.url.href}`);
    return { action: 'accept', content: {} };
  }
  const answers = { ...formDefaults(request.form), ...content };
  const problems = formProblems(request.form, answers);
  if (problems.length === 0) {
    const names = Object.keys(answers).map((name) => quoteInline(name, 60));
    log.info(`${sayWho(request)}: accepted (--elicit) with ${names.join(', ') || 'no fields'}`);
    return { action: 'accept', content: answers };
  }
  // With the person's own content wrong nothing is said in their name; without any, no is the answer.
  const instead = content === undefined ? 'decline' : 'cancel';
  log.warn(
    `${sayWho(request)}: answered ${instead}, --elicit has no answer that fits: ${problems.map((one) => quoteInline(one)).join('; ')}`,
    content === undefined ? 'an --elicit FILE can give the content' : undefined,
  );
  return { action: instead };
}

function sayWho({ server, mode, message }: Elicitation): string {
  const what = mode === 'url' ? 'asks to open an address' : 'asks for input';
  const words = quoteInline(message, 120);
  return `server "${server}" ${what}${words === '' ? '' : ` ("${words}")`}`;
}
