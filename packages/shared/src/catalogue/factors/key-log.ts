import * as z from 'zod';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';
import { processClientsOf } from './client.ts';

const levels = ['none', 'kept'] as const;
export type KeyLogLevel = (typeof levels)[number];

/** Whether the clients record the TLS keys of their connections, in the format of SSLKEYLOGFILE. */
export const keyLog: OptionFactor<KeyLogLevel> = makeOptionFactor({
  id: 'keyLog',
  label: 'Key log',
  group: 'system',
  audience: 'expert',
  help: 'Clients store the TLS keys of their connections with the capture, so that Wireshark can decrypt it. The key log is secret: it is stored encrypted, and only operators and administrators can download it. Bundles and share links contain it only if you choose to include it; support files never contain it.',
  unit: null,
  schema: z.enum(levels),
  neutral: 'none',
  input: { kind: 'choice' },
  defaultLevel: () => 'none',
  options: () => levels.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 'kept' ? 'keys kept' : 'no key log'),
  shortLabel: (value) => (value === 'kept' ? 'keys kept' : 'no key log'),
  caution: (value) =>
    value === 'kept' ? 'With these keys, all traffic of these connections can be decrypted.' : null,
  applies: ({ capture, security }) =>
    security !== 'plain' && capture !== undefined && capture !== null && capture !== 'none',
  refuse: (value, others) =>
    value === 'kept' && processClientsOf(others) !== null
      ? {
          reason: `${processClientsOf(others)?.name} do not export their TLS keys`,
          remedy: 'Choose the native client.',
        }
      : null,
});
