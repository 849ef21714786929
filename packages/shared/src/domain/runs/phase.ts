/** The phases of a Trial, in the order in which they happen (RFC 9293, RFC 8446, MQTT 5 section 3). */
export const phases = [
  'tcp',
  'tls',
  'connect',
  'subscribe',
  'warm-up',
  'measure',
  'drain',
  'disconnect',
] as const;

export type Phase = (typeof phases)[number];

/** Phases that set a connection up; the rest carry load. */
export const setUpPhases: readonly Phase[] = ['tcp', 'tls', 'connect', 'subscribe'];
