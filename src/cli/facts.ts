/** What a server of a project file would do, line by line, as a question and a decision show it. */
import { escapeForTerminal, wrap } from '../base/text.ts';
import type { PendingServer } from '../config/types.ts';

/**
 * One fact a line, broken at `columns` (default: never). Further lines of a fact are set in deeper, so that
 * none can pass for a fact of its own.
 */
export function factLines(
  facts: PendingServer['facts'],
  columns = Number.POSITIVE_INFINITY,
): readonly string[] {
  return facts.flatMap(([key, text]) => {
    const fact = `${oneLine(key)}: ${oneLine(text)}`;
    const width = Math.max(1, columns - DEEPER.length);
    const lines = Number.isFinite(width) ? wrap(fact, width) : [fact];
    return lines.map((line, index) => `${index === 0 ? '  ' : DEEPER}${line}`);
  });
}

const DEEPER = '      ';

function oneLine(text: string): string {
  return escapeForTerminal(text).replace(/[\n\t]/g, (character) =>
    character === '\n' ? '\\n' : '\\t',
  );
}
