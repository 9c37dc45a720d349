/** Processor time of this process: unlike time on the wall it does not grow when the machine is busy. */

/** Milliseconds that `work` costs here, in all threads; what other processes do meanwhile does not count. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
