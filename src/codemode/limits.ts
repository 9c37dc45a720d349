/** Every bound of a script, with its unit. Source of the numbers: the host facts PI-32 to PI-46. */

export const LIMITS = {
  /** Estimated. */
  charactersPerToken: 4,
  /** Of one script's text. */
  codeCharacters: 1_048_576,
  /** What a model gets of a script's output, unless its first line says otherwise. */
  outputTokens: 10_000,
  /** The most it may ask for: as much as any result has (50,000 characters). */
  maxOutputTokens: 12_000,
  /** From the start of the script to its end, without questions to a person. */
  wallMs: 300_000,
  maxWallMs: 900_000,
  /** Of computing, without waits for tools. */
  cpuMs: 10_000,
  /** A worker that is still computing this long after its limit is ended. */
  graceMs: 500,
  memoryBytes: 256 * 1024 * 1024,
  /** Memory of the whole engine: the VM's own bound is reached first, unless it is fragmented. */
  engineBytes: 384 * 1024 * 1024,
  /** A worker that grew beyond this is not used again. */
  keptBytes: 64 * 1024 * 1024,
  /** Of the VM; the worker's own stack is larger, but not by much. */
  stackBytes: 192 * 1024,
  /** Of all outputs of one script, and as much again of its console. */
  outputCharacters: 16_777_216,
  outputItems: 100_000,
  /** Of one message into the VM. */
  messageCharacters: 16_777_216,
  storeValueCharacters: 262_144,
  storeCharacters: 1_048_576,
  workers: 2,
  queueMs: 60_000,
  /** For calls to end that are cancelled with their script. */
  endMs: 2_000,
  /** For the engine to start. */
  loadMs: 15_000,
  /** Calls of one script that are on their way at once. */
  parallelCalls: 32,
  /** Calls of one script in all: more is a loop gone wrong. */
  calls: 10_000,
  nestedCalls: 256,
  nestedArguments: 8 * 1024,
  nestedArgumentsInAll: 32 * 1024,
  nestedError: 500,
  /** Of all declarations in the tool's description. */
  declarationTokens: 3_000,
  /** An idle worker is ended after this. */
  idleMs: 30_000,
  /** A worker is replaced after so many scripts. */
  scriptsPerWorker: 200,
} as const;
