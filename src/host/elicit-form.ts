/** A form at a terminal: one question per field, defaults at hand, everything shown again before it is sent. */
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Elicitation, ElicitationAnswer } from '../mcp/handlers/elicitation.ts';
import type { FormField } from '../mcp/handlers/form.ts';
import { answerTo, fieldProblem, formDefaults, formProblems } from '../mcp/handlers/form-check.ts';
import { describeField, readField, showValue } from './form-text.ts';
import { ourLines, quoteInline, quoteLines } from './quote.ts';
import type { Dialogue } from './talk.ts';

type FormElicitation = Extract<Elicitation, { mode: 'form' }>;
type Entry =
  | { readonly kind: 'value'; readonly value: JsonValue | undefined }
  | { readonly kind: 'stop'; readonly action: 'decline' | 'cancel' };

/** Ctrl-C, the end of input and silence are a cancel. */
export async function askForm(
  request: FormElicitation,
  dialogue: Dialogue,
): Promise<ElicitationAnswer> {
  showRequest(request, dialogue);
  const { fields } = request.form;
  if (fields.length > 0) say(dialogue, HOW_TO_ANSWER);
  let answers: JsonObject = formDefaults(request.form);
  for (;;) {
    for (const [index, field] of fields.entries()) {
      const position = `${index + 1}/${fields.length}`;
      const entry = await askField(field, answerTo(field, answers), position, dialogue);
      if (entry.kind === 'stop') return { action: entry.action };
      answers = { ...answers, [field.name]: entry.value };
    }
    const content = withoutGaps(answers);
    const next = await confirm(request, content, dialogue);
    if (next === 'accept') return { action: 'accept', content };
    if (next !== 'edit') return { action: next };
  }
}

const HOW_TO_ANSWER =
  'Enter takes what stands in [brackets], - leaves a field out, /decline refuses, /cancel (or Ctrl-C) stops.';

function showRequest(request: FormElicitation, dialogue: Dialogue): void {
  const { columns } = dialogue;
  const { form } = request;
  const secret = form.fields.find(isSecretField);
  dialogue.show([
    '',
    ...ourLines(`${dialogue.strong(quoteInline(request.server))} asks you for input:`, columns),
    ...quoteLines(request.message, columns),
    ...form.leftOut.flatMap((why) => ourLines(`not asked, ${quoteInline(why)}`, columns, '  ')),
    ...(secret === undefined ? [] : ourLines(secretWarning(secret), columns)),
  ]);
}

/** What a server must not ask for in a form. Source: MCP 2025-11-25, elicitation, form mode. */
const SECRET_WORDS =
  /pass ?(?:word|phrase|code)|\bpwd\b|secret|\btokens?\b|api[ -]?key|private[ -]?key|access[ -]?key|credential|credit ?card|card ?number|\bcvv\b|\bpin\b/;

function isSecretField({ name, title, description }: FormField): boolean {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_.]/g, ' ');
  const isWritten = [spaced, title ?? ''].some((text) => SECRET_WORDS.test(text.toLowerCase()));
  // A description may as well say what not to enter.
  return (
    isWritten ||
    /^(?:your |the |enter )*(?:password|passphrase|api key|access token)/i.test(description ?? '')
  );
}

function secretWarning(field: FormField): string {
  return `Warning: "${quoteInline(field.name, 60)}" looks like a secret. A form is not meant for secrets: what you type is shown here and goes to the server as it is.`;
}

async function askField(
  field: FormField,
  preset: JsonValue | undefined,
  position: string,
  dialogue: Dialogue,
): Promise<Entry> {
  dialogue.show(describeField(field, position, dialogue.columns, dialogue.strong));
  const brackets = preset === undefined ? '' : `[${showValue(field, preset)}] `;
  for (;;) {
    const typed = await dialogue.read(`  ${brackets}> `);
    if (typed.kind !== 'line') return { kind: 'stop', action: 'cancel' };
    const text = typed.text.trim();
    if (text === '/decline') return { kind: 'stop', action: 'decline' };
    if (text === '/cancel') return { kind: 'stop', action: 'cancel' };
    if (text === '' && preset !== undefined) return { kind: 'value', value: preset };
    if (text === '' || text === '-') {
      if (!field.isRequired) return { kind: 'value', value: undefined };
      say(dialogue, '  it is required');
      continue;
    }
    const read = readField(field, text);
    const problem = read.problem ?? fieldProblem(field, read.value);
    if (problem === undefined) return { kind: 'value', value: read.value };
    say(dialogue, `  ${problem}`);
  }
}

async function confirm(
  request: FormElicitation,
  content: JsonObject,
  dialogue: Dialogue,
): Promise<'accept' | 'edit' | 'decline' | 'cancel'> {
  const { form, server } = request;
  const rows = form.fields.flatMap((field) => {
    const value = answerTo(field, content);
    return value === undefined
      ? []
      : quoteLines(`${field.name}: ${showValue(field, value, 1000)}`, dialogue.columns, 1100);
  });
  const hasFields = form.fields.length > 0;
  say(
    dialogue,
    `${hasFields ? 'This goes' : 'Your yes goes'} to ${quoteInline(server)}${rows.length > 0 ? ':' : '.'}`,
  );
  dialogue.show(rows);
  // Only an owner's mistake could bring them here: every field was checked as it was typed.
  for (const problem of formProblems(form, content)) say(dialogue, `  ${quoteInline(problem)}`);
  say(dialogue, `  y yes,${hasFields ? ' e edit,' : ''} d decline, c cancel`);
  for (;;) {
    const typed = await dialogue.read(hasFields ? 'Send? [y/e/d/c] ' : 'Send? [y/d/c] ');
    if (typed.kind !== 'line') return 'cancel';
    switch (typed.text.trim().toLowerCase()) {
      case 'y':
      case 'yes':
        return 'accept';
      case 'e':
      case 'edit':
        if (hasFields) return 'edit';
        break;
      case 'd':
      case '/decline':
        return 'decline';
      case 'c':
      case '/cancel':
        return 'cancel';
    }
  }
}

function withoutGaps(answers: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== undefined));
}

function say(dialogue: Dialogue, text: string): void {
  const indent = /^ */.exec(text)?.[0] ?? '';
  dialogue.show(ourLines(text.trimStart(), dialogue.columns, indent));
}
