/**
 * Exit codes of the binary: a public interface, see README "Exit codes".
 * Nothing here decides an outcome; callers name one.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  config: 3,
  connect: 4,
  permission: 5,
  auth: 6,
  limit: 7,
  provider: 8,
  unknownOutcome: 9,
  internal: 70,
  interrupted: 130,
  quit: 131,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
