/** What every command gets: options, streams, time, and the signal that ends it. */
import type { Clock } from '../base/clock.ts';
import type { Env } from '../base/env.ts';
import type { Log } from '../base/log.ts';
import type { CliOptions } from './options.ts';
import type { Output } from './output.ts';
import type { Parts } from './parts.ts';
import type { Screen } from './screen.ts';
import type { Interrupts } from './signals.ts';
import type { Stdin } from './stdin.ts';

export interface Context {
  readonly options: CliOptions;
  readonly env: Env;
  /** Absolute. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly stdin: Stdin;
  readonly output: Output;
  readonly screen: Screen;
  readonly log: Log;
  readonly interrupts: Interrupts;
  /** Aborts at a signal, at `--timeout`, and when stdout can take no more. */
  readonly signal: AbortSignal;
  readonly parts: Parts;
}
