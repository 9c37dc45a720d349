/** Values of an enum, and lists, as a prompt names them. */
import type { JsonValue } from '../base/json.ts';
import type { PromptValue } from './offline-values.ts';

/** The choices that stand in the prompt in so many words, `last_month` as `last month` too, in their order. */
export function takeChoices(
  choices: readonly JsonValue[],
  free: PromptValue[],
  prompt: string,
): readonly JsonValue[] {
  const text = ` ${plain(prompt)} `;
  const named = choices.filter((choice) => {
    const words = plain(String(choice));
    return words !== '' && text.includes(` ${words} `);
  });
  // `bar` is not meant where `bar chart` is another choice that was named.
  const meant = named.filter(
    (choice) =>
      !named.some(
        (other) =>
          other !== choice && ` ${plain(String(other))} `.includes(` ${plain(String(choice))} `),
      ),
  );
  for (const choice of meant) {
    const at = free.findIndex((value) =>
      [value.text, value.written ?? ''].some((text) => plain(text) === plain(String(choice))),
    );
    if (at !== -1) takeOut(free, at);
  }
  return meant;
}

/** Takes a value out, and what else its words could have meant. */
export function takeOut(free: PromptValue[], at: number): PromptValue | undefined {
  const [value] = free.splice(at, 1);
  if (value?.group === undefined) return value;
  const others = free.filter(({ group }) => group !== value.group);
  free.splice(0, free.length, ...others);
  return value;
}

/** True when a value stands right behind the name: `labels "bug"`. */
export function namesIn(free: readonly PromptValue[], name: string): boolean {
  const word = plain(name);
  return free.some(({ after }) => after === word || `${after}s` === word || after === `${word}s`);
}

function plain(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
