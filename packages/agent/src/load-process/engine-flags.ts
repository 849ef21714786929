/**
 * V8 options of the load worker, for `node [options] program`. No memory reducer: it collects all garbage some eight
 * seconds into a quiet load, and the sender stands still for 10 ms. Compiling what runs often sooner: then the
 * rehearsal is enough for it, nothing is compiled in the measure phase, and each message at 1,000 messages/s costs
 * a quarter less CPU time. The names of the latter are those of V8 13 and later; an unknown one would end Node.
 */
export function makeEngineFlags(v8Version: string): string[] {
  const flags = ['--no-memory-reducer'];
  if (Number.parseInt(v8Version, 10) < 13) return flags;
  return [
    ...flags,
    '--invocation-count-for-maglev=50',
    '--invocation-count-for-turbofan=200',
    '--minimum-invocations-after-ic-update=50',
  ];
}
