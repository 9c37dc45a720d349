/** A terminal for tests: a grid that obeys the sequences the session uses, and keys sent by hand. */
import type { Terminal, TerminalListener, TerminalSignal } from '../../src/repl/terminal.ts';

export interface FakeTerminal extends Terminal {
  /** Sends what a keyboard would. */
  type(text: string): void;
  endInput(): void;
  crash(thrown: unknown): void;
  signal(name: TerminalSignal): void;
  /** A terminal that wraps its rows anew. */
  resize(columns: number): void;
  /** The rows so far, without trailing spaces and empty rows at the end. */
  screen(): readonly string[];
  /** Where the cursor is: row and column from 0. */
  cursor(): readonly [number, number];
  /** What went to the answer's own stream. */
  answer(): string;
  readonly suspended: { count: number };
  isOpen(): boolean;
  /** Resolves once the screen holds this text. */
  shows(text: string): Promise<void>;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function createFakeTerminal(
  options: { columns?: number; rows?: number; rich?: boolean; answerOnScreen?: boolean } = {},
): FakeTerminal {
  let columns = options.columns ?? 60;
  let grid: string[][] = [[]];
  let row = 0;
  let column = 0;
  let answerText = '';
  let listener: TerminalListener | undefined;
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  const suspended = { count: 0 };

  const cells = (index: number): string[] => {
    while (grid.length <= index) grid.push([]);
    return grid[index] ?? [];
  };
  const put = (cluster: string) => {
    const width = Bun.stringWidth(cluster);
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    const line = cells(row);
    while (line.length < column) line.push(' ');
    line[column] = cluster;
    for (let extra = 1; extra < width; extra += 1) line[column + extra] = '';
    column += width;
  };
  const control = (parameter: string, final: string) => {
    const count = Number(parameter || '1');
    if (final === 'A') row = Math.max(0, row - count);
    else if (final === 'B') row += count;
    else if (final === 'C') column += count;
    else if (final === 'K') cells(row).length = Math.min(cells(row).length, column);
    else if (final === 'H') [row, column] = [0, 0];
    else if (final === 'J' && parameter === '2') grid = [[]];
    else if (final === 'J') {
      cells(row).length = Math.min(cells(row).length, column);
      grid.length = Math.min(grid.length, row + 1);
    } else if (final !== 'm') throw new Error(`unknown sequence ${parameter}${final}`);
  };
  const write = (text: string) => {
    const tokens = /\x1b\[([\d;]*)([A-Za-z])|\r\n|[\r\n]|[^\x1b\r\n]+|\x1b/g;
    for (const [token, parameter = '', final = ''] of text.matchAll(tokens)) {
      if (token.startsWith('\x1b')) control(parameter, final);
      else if (token === '\r') column = 0;
      else if (token.endsWith('\n')) [row, column] = [row + 1, 0];
      else for (const { segment } of graphemes.segment(token)) put(segment);
    }
    for (const one of [...waiting]) {
      if (!screen().join('\n').includes(one.text)) continue;
      waiting.splice(waiting.indexOf(one), 1);
      one.resolve();
    }
  };
  const screen = () => {
    const rows = grid.map((line) => line.join('').trimEnd());
    while (rows.at(-1) === '') rows.pop();
    return rows;
  };

  return {
    rich: options.rich ?? true,
    colour: false,
    answerOnScreen: options.answerOnScreen ?? true,
    columns: () => columns,
    rows: () => options.rows ?? 20,
    write,
    writeAnswer(text) {
      answerText += text;
    },
    open(newListener) {
      listener = newListener;
    },
    suspend() {
      suspended.count += 1;
      listener?.resumed();
    },
    async close() {
      listener = undefined;
    },
    type: (text) => listener?.data(new TextEncoder().encode(text)),
    crash: (thrown) => listener?.crash(thrown),
    endInput: () => listener?.end(),
    signal: (name) => listener?.signal(name),
    resize(newColumns) {
      columns = newColumns;
      const old = grid;
      const at = row;
      grid = [];
      for (const [index, line] of old.entries()) {
        if (index === at) {
          row = grid.length + Math.floor(column / columns);
          column %= columns;
        }
        const parts = Math.max(1, Math.ceil(line.length / columns));
        for (let part = 0; part < parts; part += 1) {
          grid.push(line.slice(part * columns, (part + 1) * columns));
        }
      }
      listener?.resize();
    },
    screen,
    cursor: () => [row, column],
    answer: () => answerText,
    suspended,
    isOpen: () => listener !== undefined,
    shows(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ text, resolve });
      write('');
      return promise;
    },
  };
}
