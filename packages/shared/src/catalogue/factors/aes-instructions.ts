import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { Levels, Refusal } from '../../domain/factor.ts';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';
import { isOverMqtt } from './application-protocol.ts';

const levels = ['used', 'off'] as const;
type AesInstructions = (typeof levels)[number];

const words: Readonly<Record<AesInstructions, string>> = {
  used: 'AES instructions',
  off: 'no AES instructions',
};

/** Whether OpenSSL uses the CPU's AES instructions in brokers and clients. */
export const aesInstructions: OptionFactor<AesInstructions> = makeOptionFactor({
  id: 'aesInstructions',
  label: 'AES instructions',
  group: 'security',
  audience: 'expert',
  help: 'Whether OpenSSL uses the CPU’s AES instructions in the broker and clients. “off” behaves like a board without them (Raspberry Pi 4): AES-GCM then costs several times as much, and the cost of ChaCha20 is unchanged. On ARM, “off” also disables the SHA-2 instructions.',
  unit: null,
  schema: z.enum(levels),
  neutral: 'used',
  input: { kind: 'choice' },
  defaultLevel: () => 'used',
  options: (testbed) =>
    levels.map((value) => ({ value, refusal: aesInstructions.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === 'off' ? 'switched off' : 'used'),
  shortLabel: (value) => words[value as AesInstructions],
  applies: (all) => isOverMqtt(all) && (all.security !== 'plain' || (all.payloadCipher ?? 'none') !== 'none'),
  refuse: (value, all, testbed) => (value === 'off' ? refuseOff(all, testbed) : null),
});

function refuseOff({ broker }: Levels, { aesRefusal }: TestbedView): Refusal | null {
  const remedy = 'Leave the AES instructions enabled.';
  if (broker === 'external') {
    return { reason: 'the external broker runs on a device without an agent', remedy };
  }
  return aesRefusal === null ? null : { reason: aesRefusal, remedy };
}
