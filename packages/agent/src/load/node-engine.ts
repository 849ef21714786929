import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns the V8 options of the load worker, for `node [options] program`. The memory reducer is off, because
 * it would collect all garbage about eight seconds into a quiet load and pause the sender for 10 ms. Hot code
 * is compiled sooner, so that the rehearsal is sufficient and nothing is compiled in the measure phase. At
 * 1,000 messages/s, a message then costs a quarter less CPU time. The option names are those of V8 13 and
 * later; Node exits on an unknown option.
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

/**
 * Returns true unless the rehearsal is off. Tests that measure nothing turn it off, because it takes most of
 * the CPU time in a short run. Recorded as a fact of the run.
 */
export function rehearses({ MQTTLAB_REHEARSAL }: NodeJS.ProcessEnv): boolean {
  return MQTTLAB_REHEARSAL !== 'off';
}

/** Runs a full collection now, so that garbage from the start is not collected during a measurement. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
}
