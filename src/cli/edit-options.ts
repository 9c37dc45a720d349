/** Flags of the commands that write configuration. Texts as given; the commands judge them. */
import { UsageError } from '../base/errors.ts';
import type { FlagName } from './flags.ts';

export type WriteScope = 'user' | 'project' | 'local';

export interface EditOptions {
  readonly scope: WriteScope | undefined;
  readonly command: string | undefined;
  /** `--arg`, then `--args` cut at commas. */
  readonly args: readonly string[];
  /** `NAME=VALUE` */
  readonly env: readonly string[];
  readonly cwd: string | undefined;
  readonly transport: string | undefined;
  readonly exposure: string | undefined;
  readonly description: string | undefined;
  readonly allowPrivate: boolean;
}

/** Throws UsageError for two scopes. */
export function readEditOptions(flags: ReadonlyMap<FlagName, readonly string[]>): EditOptions {
  const one = (name: FlagName) => flags.get(name)?.[0];
  const list = one('args');
  return {
    scope: readScope(one('scope'), flags.has('project')),
    command: one('command'),
    args: [
      ...(flags.get('arg') ?? []),
      ...(list === undefined || list === '' ? [] : list.split(',')),
    ],
    env: flags.get('env') ?? [],
    cwd: one('cwd'),
    transport: one('transport'),
    exposure: one('exposure'),
    description: one('description'),
    allowPrivate: flags.has('allow-private'),
  };
}

/** The parser has checked the choices already; this narrows the type. */
function readScope(value: string | undefined, isProject: boolean): WriteScope | undefined {
  const scope = (['user', 'project', 'local'] as const).find((one) => one === value);
  if (isProject && scope !== undefined && scope !== 'project') {
    throw new UsageError(`-l and --scope ${scope} exclude each other`);
  }
  return isProject ? 'project' : scope;
}
