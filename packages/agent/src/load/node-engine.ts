import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/** Off for tests that measure nothing: most of a short Run's CPU time is its rehearsal. It is a fact of the run. */
export function rehearses({ MQTTLAB_REHEARSAL }: NodeJS.ProcessEnv): boolean {
  return MQTTLAB_REHEARSAL !== 'off';
}

/** A full collection now, so that what starting left behind is not collected while something is measured. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
