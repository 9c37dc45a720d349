/** Commands and flags as citty defines them, and the rows of the usage that it renders. */
import { type ArgsDef, type CommandDef, renderUsage } from 'citty';
import { type FlagName, findFlag } from './flags.ts';
import type { Row } from './help-layout.ts';

export interface UsageRows {
  readonly options: readonly Row[];
  readonly commands: readonly Row[];
}

/** What has a page of its own below this one: names with what they do. */
export type Below = readonly (readonly [name: string, help: string])[];

/**
 * Flags with their short forms and values; values that are too many for a column go into the text. On the page of an
 * `action` of mcp, texts do not say again what they are about.
 */
export async function usageRows(
  flags: readonly FlagName[],
  below: Below,
  action?: string,
): Promise<UsageRows> {
  const command: CommandDef = {
    meta: { name: 'usher' },
    args: flagArgs(flags, action),
    subCommands: Object.fromEntries(
      below.map(([name, description]): [string, CommandDef] => [
        name,
        { meta: { name, description } },
      ]),
    ),
  };
  // Colours and columns are for this terminal's width, which it does not know.
  const sections = sectionsOf(Bun.stripANSI(await renderUsage(command)));
  return {
    options: (sections.get('OPTIONS') ?? []).map(([name, text]) => [
      name.startsWith('-') && !name.startsWith('--') ? `  ${name}` : `      ${name}`,
      text,
    ]),
    commands: (sections.get('COMMANDS') ?? []).map(([name, text]) => [`  ${name}`, text]),
  };
}

const MAX_CHOICES = 30;

function flagArgs(flags: readonly FlagName[], action: string | undefined): ArgsDef {
  const args: ArgsDef = {};
  for (const name of flags) {
    const flag = findFlag(name);
    if (flag === undefined) continue;
    const alias = flag.short === undefined ? {} : { alias: flag.short };
    const description = textFor(flag.help, action);
    if (flag.kind === 'switch' || flag.kind === 'count') {
      args[name] = { type: 'boolean', description, ...alias };
      continue;
    }
    const choices = flag.choices?.join('|');
    const isLong = choices !== undefined && choices.length > MAX_CHOICES;
    args[name] = {
      type: 'string',
      description: isLong ? `${description}: ${flag.choices?.join(', ')}` : description,
      valueHint: isLong ? 'VALUE' : (choices ?? flag.hint ?? 'VALUE'),
      ...alias,
    };
  }
  return args;
}

/** `mcp lock, mcp approve: what …` and `call: …; mcp list: what …` without what leads there. */
function textFor(help: string, action: string | undefined): string {
  if (action === undefined) return help;
  const own = new RegExp(`(?:^|; )(?:[a-z ]+, )*(?:mcp )?${action}(?:, [a-z ]+)*: (.*)$`);
  return own.exec(help)?.[1] ?? help;
}

/** Rows below their headings: a name, at least two spaces, its text. */
function sectionsOf(usage: string): ReadonlyMap<string, readonly Row[]> {
  const sections = new Map<string, Row[]>();
  let rows: Row[] = [];
  for (const line of usage.split('\n')) {
    if (/^[A-Z]+$/.test(line)) {
      rows = [];
      sections.set(line, rows);
      continue;
    }
    const [, name, text] = /^\s+(\S.*?) {2,}(\S.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && text !== undefined) rows.push([name, text]);
  }
  return sections;
}
