/** Off for tests that measure nothing: most of a short Run's CPU time is its rehearsal. A Run says so in its facts. */
export function rehearses({ MQTTLAB_REHEARSAL }: NodeJS.ProcessEnv): boolean {
  return MQTTLAB_REHEARSAL !== 'off';
}
