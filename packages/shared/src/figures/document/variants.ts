/** Close relatives of a metric that is told anyway, and checks on the run itself; the long table has them. */
const variants = [
  /^latency\.(min|max|sd|mean|p5|p25|p75|p999)$/,
  /^exchange\.(?!p50$)/,
  /^(readingAge|cpuDevice|cpuPerMessage|lateness|clock|start|count|temperature|frequency|throttling)/,
  /^memory\..*(mean|proportional)$/,
  /^rate\.(readings|goodput)$/,
  /^(wire\.overhead|tcp\.)/,
  /^perf\.(?!instructions)/,
  /^(energy|energyNet|power|current|charge|batteryLife)\.(?!total$)/,
  /^(power|current|charge|energyPerMessageNet)\.total$/,
  /^connection\..*p95$/,
  /^(randomness|bridge\.apEn|encryption\.mean|decryption\.mean|payload\.cpuShare)/,
];

/** Left out where only some metrics have room. */
export function isVariant(metric: string): boolean {
  return variants.some((pattern) => pattern.test(metric));
}
