/** Help pages from the same data the parser uses, laid out by citty; and topics in prose. */
import { type ArgsDef, type CommandDef, renderUsage } from 'citty';
import { UsageError } from '../base/errors.ts';
import { nearestMatches } from '../base/text.ts';
import { VERSION } from '../base/version.ts';
import { COMMANDS, type CommandName, isCommandName } from './command-table.ts';
import { type FlagName, findFlag } from './flags.ts';
import { TOPICS } from './topics.ts';

/** The help page of a command; `''` is the page of the program. */
export async function renderHelp(name: CommandName): Promise<string> {
  const command = COMMANDS[name];
  const usage = await renderUsage(describe(name), {
    meta: { name: name === '' ? '' : 'usher', version: VERSION },
  });
  const examples = command.examples.map((example) => `  ${example}`).join('\n');
  const topics =
    name === '' ? `\n\nHelp topics: ${Object.keys(TOPICS).join(', ')} (usher help TOPIC).` : '';
  return `${tidy(usage, name)}\n\nEXAMPLES\n\n${examples}${topics}\n`;
}

/** The page of a command or topic. Throws UsageError for neither. */
export async function renderTopic(topic: string | undefined): Promise<string> {
  if (topic === undefined) return renderHelp('');
  if (isCommandName(topic)) return renderHelp(topic);
  const text = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (text !== undefined) return text;
  const known = [...Object.keys(COMMANDS).filter(isCommandName), ...Object.keys(TOPICS)];
  const [nearest] = nearestMatches(topic, known, 1);
  throw new UsageError(`no help on "${topic}"`, {
    hint: nearest === undefined ? `topics: ${known.join(', ')}` : `did you mean ${nearest}?`,
  });
}

function describe(name: CommandName): CommandDef {
  const { help, flags } = COMMANDS[name];
  const subCommands: Record<string, CommandDef> = {};
  if (name === '') {
    for (const sub of Object.keys(COMMANDS).filter(isCommandName)) {
      subCommands[sub] = { meta: { name: sub, description: COMMANDS[sub].help } };
    }
  }
  return {
    meta: { name: name === '' ? 'usher' : name, description: help },
    args: flagArgs(flags),
    ...(name === '' ? { subCommands } : {}),
  };
}

function flagArgs(flags: readonly FlagName[]): ArgsDef {
  const args: ArgsDef = {};
  for (const name of flags) {
    const flag = findFlag(name);
    if (flag === undefined) continue;
    const alias = flag.short === undefined ? {} : { alias: flag.short };
    const hint = flag.choices?.join('|') ?? flag.hint;
    const isSwitch = flag.kind === 'switch' || flag.kind === 'count';
    args[name] = isSwitch
      ? { type: 'boolean', description: flag.help, ...alias }
      : { type: 'string', description: flag.help, valueHint: hint ?? 'VALUE', ...alias };
  }
  return args;
}

/** citty colours by rules of its own, pads lines at their end and cannot say our usage in one line. */
function tidy(usage: string, name: CommandName): string {
  const lines = Bun.stripANSI(usage).split('\n');
  const words =
    name === '' ? '[OPTIONS] --prompt TEXT | COMMAND' : `${name} [OPTIONS] ${COMMANDS[name].usage}`;
  return lines
    .map((line) => (line.startsWith('USAGE ') ? `USAGE usher ${words}` : line.trimEnd()))
    .join('\n')
    .trimEnd();
}
