/** The block `logins:`: sign-ins by name. */
import { dirname } from 'node:path';
import type { Env } from '../base/env.ts';
import { fillLogin } from './auth-build.ts';
import { loginBreaks } from './auth-rules.ts';
import { asProblem, isMapping } from './entry.ts';
import { Fill } from './fill.ts';
import { checkBlock } from './issues.ts';
import { childOf, MAX_PROBLEMS, type Problem } from './problem.ts';
import { loginsSchema } from './schema/auth.ts';
import type { LoginConfig } from './types.ts';
import type { ConfigFile } from './yaml.ts';

export interface ReadLogins {
  readonly logins: Readonly<Record<string, LoginConfig>>;
  /** As written, bad ones among them. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
}

/** The logins of one file, `${VAR}` expanded, files relative to its folder; or what is wrong with them. */
export function readLogins(root: object, file: ConfigFile, env: Env): ReadLogins {
  const raw = childOf(root, 'logins') ?? undefined;
  if (raw === undefined) return { logins: {}, names: [], problems: [] };
  const names = isMapping(raw) ? Object.keys(raw) : [];
  const checked = checkBlock(loginsSchema, raw, ['logins'], 'root', file);
  const breaks = names.flatMap((name) => {
    const login = childOf(raw, name);
    return isMapping(login) ? [...loginBreaks(login, [name])] : [];
  });
  const logins: Record<string, LoginConfig> = {};
  if (breaks.length === 0) {
    const fill = new Fill(env, breaks);
    for (const [name, entry] of Object.entries(checked.value ?? {})) {
      logins[name] = fillLogin(entry, [name], dirname(file.path), fill);
    }
  }
  const broken = breaks.slice(0, MAX_PROBLEMS).map((rule) => asProblem(rule, ['logins'], file));
  return { logins, names, problems: [...checked.problems, ...broken] };
}
