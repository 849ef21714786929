import * as z from 'zod';
import { makeOptionFactor, type OptionFactor } from '../make-factor.ts';
import { processClientsOf } from './client.ts';

const levels = ['none', 'kept'] as const;
export type KeyLogLevel = (typeof levels)[number];

/** Whether the clients write down the keys of their connections, as SSLKEYLOGFILE does. */
export const keyLog: OptionFactor<KeyLogLevel> = makeOptionFactor({
  id: 'keyLog',
  label: 'Key log',
  group: 'system',
  audience: 'expert',
  help: 'Clients keep the TLS keys of their connections beside the capture, so that Wireshark can decrypt it. It is a secret: stored encrypted, for operators and administrators. A bundle or the link to a run contains it only if you choose so; support files never do.',
  unit: null,
  schema: z.enum(levels),
  neutral: 'none',
  input: { kind: 'choice' },
  defaultLevel: () => 'none',
  options: () => levels.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'kept' ? 'keys kept' : 'no key log'),
  shortLabel: (value) => (value === 'kept' ? 'keys kept' : 'no key log'),
  caution: (value) =>
    value === 'kept' ? 'Whoever has these keys can read everything these connections carried.' : null,
  applies: ({ capture, security }) =>
    security !== 'plain' && capture !== undefined && capture !== null && capture !== 'none',
  refuse: (value, others) =>
    value === 'kept' && processClientsOf(others) !== null
      ? {
          reason: `${processClientsOf(others)?.name} do not hand out their keys`,
          remedy: 'Choose the native client.',
        }
      : null,
});
