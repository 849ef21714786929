import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type AbuseKind, abuseKinds } from '../../domain/plans/trial-spec.ts';

const labels: Readonly<Record<AbuseKind, string>> = {
  none: 'No abuse',
  'slow keep-alive': 'Slow keep-alive holders',
  'persistent sessions': 'Persistent sessions',
};

export const abuse: FactorDefinition = {
  id: 'abuse',
  label: 'Session abuse',
  group: 'load',
  audience: 'expert',
  help: 'Attack that the publisher’s device runs against the broker while the subscriber’s device tries to connect. Either connections request the longest keep-alive and stay silent (SlowITe), or sessions never expire and each contain queued messages (MQTT 5). Only the broker that this testbed starts can be attacked.',
  unit: null,
  schema: z.enum(abuseKinds),
  input: { kind: 'choice' },
  defaultLevel: () => 'slow keep-alive',
  options: () => abuseKinds.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => labels[value as AbuseKind],
  shortLabel: (value) =>
    value === 'slow keep-alive' ? 'slow keep-alive' : labels[value as AbuseKind].toLowerCase(),
  applies: (_levels, workload) => workload === 'availability',
  refuse: (value, { mqttVersion }) =>
    value === 'persistent sessions' && typeof mqttVersion === 'string' && mqttVersion !== '5.0'
      ? {
          reason: `MQTT ${mqttVersion} has no Session Expiry Interval`,
          remedy: 'Combine persistent sessions with MQTT 5.0.',
        }
      : null,
  apply: (spec, value) => ({ ...spec, abuse: (value ?? 'none') as AbuseKind }),
};
