import { describe, expect, test } from 'bun:test';
import { createElicitAnswers, type ElicitPlan } from '../../src/host/elicit.ts';
import type { Elicitation } from '../../src/mcp/handlers/elicitation.ts';
import { readForm } from '../../src/mcp/handlers/form.ts';
import { personTyping } from './dialogue.ts';

const schema = {
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', default: 30 },
    note: { type: 'string' },
  },
  required: ['name'],
};

function form(properties: object = schema, message = 'Who are you?'): Elicitation {
  const read = readForm({ type: 'object', ...properties });
  if (typeof read === 'string') throw new Error(read);
  return { mode: 'form', server: 'forge', message, form: read };
}

const address: Elicitation = {
  mode: 'url',
  server: 'forge',
  message: 'Sign in',
  url: new URL('https://a.example/'),
  id: undefined,
};

async function answer(plan: ElicitPlan | undefined, request: Elicitation) {
  const log: string[] = [];
  const person = personTyping(['/decline']);
  const elicit = createElicitAnswers({
    plan,
    talk: plan === undefined ? undefined : person.talk,
    openUrl: () => Promise.reject(new Error('nothing is opened without a person')),
    log: {
      info: (message) => log.push(`info ${message}`),
      warn: (message, hint) => log.push(`warn ${message}${hint === undefined ? '' : ` | ${hint}`}`),
    },
  });
  const result = await elicit(request, new AbortController().signal);
  return { result, log, shown: person.shown() };
}

const WHO = 'server "forge" asks for input ("Who are you?")';

describe('--elicit accept', () => {
  test('takes the defaults and leaves out what is optional', async () => {
    const { result, log, shown } = await answer('accept', form({ ...schema, required: ['age'] }));
    expect(result).toEqual({ action: 'accept', content: { age: 30 } });
    expect([log, shown]).toEqual([[`info ${WHO}: accepted (--elicit) with age`], '']);
  });

  test('declines where a required field has no default, and names it', async () => {
    const { result, log } = await answer('accept', form());
    expect(result).toEqual({ action: 'decline' });
    expect(log).toEqual([
      `warn ${WHO}: answered decline, --elicit has no answer that fits: name: it is required | an --elicit FILE can give the content`,
    ]);
  });

  test('accepts an address without opening it, and shows it', async () => {
    const { result, log } = await answer('accept', address);
    expect(result).toEqual({ action: 'accept', content: {} });
    expect(log).toEqual([
      'warn server "forge" asks to open an address ("Sign in"): accepted (--elicit) | open https://a.example/',
    ]);
  });
});

test('--elicit decline declines', async () => {
  const { result, log } = await answer('decline', form());
  expect([result, log]).toEqual([
    { action: 'decline' },
    [`info ${WHO}: answered decline (--elicit)`],
  ]);
});

describe('an --elicit file', () => {
  test('answers with the first entry that fits server and message', async () => {
    const plan: ElicitPlan = [
      { server: 'other', action: 'decline' },
      { match: 'Who', action: 'decline' },
      { server: 'forge', match: 'Who*', action: 'accept', content: { name: 'Ada' } },
      { action: 'decline' },
    ];
    expect((await answer(plan, form())).result).toEqual({
      action: 'accept',
      content: { age: 30, name: 'Ada' },
    });
  });

  test('cancels what no entry fits, and says so', async () => {
    const { result, log } = await answer([{ server: 'other', action: 'accept' }], form());
    expect(result).toEqual({ action: 'cancel' });
    expect(log).toEqual([`warn ${WHO}: cancelled, no entry of the --elicit file fits`]);
  });

  test('cancels where its content does not fit the schema', async () => {
    const content = { name: 1, nick: 'x' };
    const { result, log } = await answer([{ action: 'accept', content }], form());
    expect(result).toEqual({ action: 'cancel' });
    expect(log).toEqual([
      `warn ${WHO}: answered cancel, --elicit has no answer that fits: nick: the form has no such field; name: expected text`,
    ]);
  });
});

test('with nobody there it is cancelled, and the way out is named', async () => {
  const { result, log } = await answer(undefined, form());
  expect(result).toEqual({ action: 'cancel' });
  expect(log).toEqual([
    `warn ${WHO}: cancelled, nobody is here to answer | --elicit accept, decline or FILE answers without a person`,
  ]);
});

test('a person is asked when there is no plan', async () => {
  const person = personTyping(['/decline']);
  const elicit = createElicitAnswers({
    plan: undefined,
    talk: person.talk,
    openUrl: async () => true,
    log: { info: () => undefined, warn: () => undefined },
  });
  expect(await elicit(form(), new AbortController().signal)).toEqual({ action: 'decline' });
  expect(person.shown()).toContain('*forge* asks you for input:');
});
