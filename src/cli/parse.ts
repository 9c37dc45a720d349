/**
 * Words to flags, strictly: an unknown flag, a missing value, a value too many or a flag given twice
 * is a UsageError with the nearest match. Pure; what a value means is read in options.ts.
 */
import { UsageError } from '../base/errors.ts';
import { nearestMatches } from '../base/text.ts';
import { COMMANDS, type CommandName, isCommandName } from './command-table.ts';
import { FLAGS, type FlagName, findFlag, isFlagName, longName } from './flags.ts';

export interface ParsedLine {
  readonly command: CommandName;
  /** Words that are neither the command nor flags. */
  readonly words: readonly string[];
  /** How many of the words came behind `--`. */
  readonly dashed: number;
  /** Switches hold one empty text per time they were given; lists are already split at commas. */
  readonly flags: ReadonlyMap<FlagName, readonly string[]>;
}

/**
 * Parses what follows the program's name. Flags may stand anywhere; `--` ends them; `-` alone is a
 * word. In `call`, a word after the tool's name that starts with `-` is still a flag.
 */
export function parseLine(words: readonly string[]): ParsedLine {
  const plain: string[] = [];
  const flags = new Map<FlagName, readonly string[]>();
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') break;
    if (word === '-' || !word.startsWith('-')) {
      plain.push(word);
      continue;
    }
    for (const given of splitFlag(word)) {
      const value = given.needsValue ? valueWord(words[index + 1]) : given.value;
      if (value === undefined) {
        throw new UsageError(`${given.spelling} needs a value: ${valueHint(given.name)}`);
      }
      if (given.needsValue) index += 1;
      addFlag(flags, given.name, given.spelling, value);
    }
  }
  const dashed = words.slice(index + 1);
  plain.push(...dashed);
  const [first] = plain;
  const command = first === undefined ? '' : commandOf(first);
  const behind = command === '' ? plain : plain.slice(1);
  const parsed = {
    command,
    words: behind,
    dashed: Math.min(dashed.length, behind.length),
    flags,
  };
  checkFlagsFit(parsed);
  return parsed;
}

interface GivenFlag {
  readonly name: FlagName;
  /** As written, for messages. */
  readonly spelling: string;
  readonly value: string | undefined;
  /** The value is the next word. */
  readonly needsValue: boolean;
}

function splitFlag(word: string): readonly GivenFlag[] {
  return word.startsWith('--') ? [splitLong(word)] : splitShort(word);
}

function splitLong(word: string): GivenFlag {
  const equals = word.indexOf('=');
  const spelling = equals === -1 ? word : word.slice(0, equals);
  const name = spelling.slice(2);
  if (!isFlagName(name)) throw unknownFlag(spelling);
  const takesValue = hasValue(name);
  if (equals === -1)
    return { name, spelling, value: takesValue ? undefined : '', needsValue: takesValue };
  if (!takesValue) throw new UsageError(`${spelling} takes no value`);
  return { name, spelling, value: word.slice(equals + 1), needsValue: false };
}

/** `-p TEXT`, `-pTEXT`, `-p=TEXT`, and `-qv` for switches. */
function splitShort(word: string): readonly GivenFlag[] {
  const given: GivenFlag[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const spelling = `-${word.charAt(at)}`;
    const name = longName(word.charAt(at));
    if (name === undefined) throw unknownFlag(word);
    if (!hasValue(name)) {
      given.push({ name, spelling, value: '', needsValue: false });
      continue;
    }
    const rest = word.slice(at + 1).replace(/^=/, '');
    const needsValue = at + 1 === word.length;
    given.push({ name, spelling, value: needsValue ? undefined : rest, needsValue });
    break;
  }
  return given;
}

/** The next word as a value, unless it is a flag: then the value was forgotten. */
function valueWord(word: string | undefined): string | undefined {
  if (word === undefined || word === '-' || !word.startsWith('-')) return word;
  const name = word.startsWith('--') ? word.slice(2).split('=')[0] : longName(word.slice(1));
  return name !== undefined && (name === '' || isFlagName(name)) ? undefined : word;
}

function hasValue(name: FlagName): boolean {
  const kind = findFlag(name)?.kind;
  return kind === 'value' || kind === 'list' || kind === 'each';
}

function addFlag(
  flags: Map<FlagName, readonly string[]>,
  name: FlagName,
  spelling: string,
  value: string,
): void {
  const flag = findFlag(name);
  const before = flags.get(name) ?? [];
  if (flag?.choices !== undefined && !flag.choices.includes(value)) {
    throw new UsageError(`${spelling}: expected ${flag.choices.join(', ')}, got "${value}"`);
  }
  if (flag?.kind === 'list' || flag?.kind === 'each') {
    const items = flag.kind === 'each' ? [value] : splitList(value);
    if (items.length === 0) throw new UsageError(`${spelling} needs a value: ${valueHint(name)}`);
    flags.set(name, [...before, ...items]);
    return;
  }
  if (before.length > 0 && flag?.kind !== 'count') {
    throw new UsageError(`${spelling} is given twice`);
  }
  flags.set(name, [...before, value]);
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function valueHint(name: FlagName): string {
  const flag = findFlag(name);
  return flag?.choices?.join('|') ?? flag?.hint ?? 'VALUE';
}

function commandOf(word: string): CommandName {
  if (isCommandName(word)) return word;
  const names = Object.keys(COMMANDS).filter(isCommandName);
  const [nearest] = nearestMatches(word, names, 1);
  const commands =
    nearest === undefined ? `commands are ${names.join(', ')}` : `did you mean "usher ${nearest}"?`;
  throw new UsageError(`unknown command "${word}"`, {
    hint: `${commands} (a prompt goes behind --prompt or -p)`,
  });
}

function unknownFlag(spelling: string): UsageError {
  const [nearest] = nearestMatches(spelling.replace(/^-+/, ''), Object.keys(FLAGS), 1);
  const hint =
    nearest === undefined ? 'usher --help lists the flags' : `did you mean --${nearest}?`;
  return new UsageError(`unknown flag ${spelling}`, { hint });
}

/** A flag of another command is named as such. With `--help` anything goes. */
function checkFlagsFit(line: ParsedLine): void {
  if (line.flags.has('help')) return;
  const allowed: readonly string[] = COMMANDS[line.command].flags;
  for (const name of line.flags.keys()) {
    if (allowed.includes(name)) continue;
    const where = line.command === '' ? 'a run' : `usher ${line.command}`;
    throw new UsageError(`--${name} does not go with ${where}`, {
      hint: `usher ${line.command === '' ? '' : `${line.command} `}--help lists its flags`,
    });
  }
}
