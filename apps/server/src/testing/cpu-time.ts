/** CPU time of this thread so far, ms: others that work on the machine are not in it. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
