import * as z from 'zod';
import type { FactorDefinition, Refusal } from '../../domain/factor.ts';
import { findPayloadCipherDefinition } from '../ciphers/payload-ciphers.ts';
import { carriesMessages } from '../workloads.ts';

const presets = [0, 2, 5, 10];

export const alterEvery: FactorDefinition = {
  id: 'alterEvery',
  label: 'Tampering',
  group: 'payload',
  audience: 'expert',
  help: 'Flips one bit of the encrypted payload of every n-th message after the publisher sends it, as a man in the middle would. The next receiver that verifies payloads must reject all of these messages and no others.',
  unit: null,
  schema: z.int().min(0).max(1_000_000),
  input: { kind: 'number', min: 0, max: 1_000_000, integer: true, presets },
  defaultLevel: () => 0,
  options: () => presets.map((value) => ({ value, refusal: refuse(value) })),
  levelLabel: (value) => describe(Number(value)),
  shortLabel: (value) => (value === 0 ? 'untouched' : `1 in ${value} altered`),
  applies: ({ payloadCipher }, workload) =>
    carriesMessages(workload) &&
    typeof payloadCipher === 'string' &&
    findPayloadCipherDefinition(payloadCipher) !== undefined,
  refuse: (value) => refuse(Number(value)),
  apply: (spec, value) => ({ ...spec, alterEvery: Number(value ?? 0) }),
};

function describe(every: number): string {
  if (every === 0) return 'No message altered';
  return every === 1 ? 'Every message altered' : `Every ${every}th message altered`;
}

/** Refuses to alter every message, because there would be nothing left to measure. */
function refuse(every: number): Refusal | null {
  return every === 1
    ? { reason: 'no message would arrive', remedy: 'Alter at most every second message.' }
    : null;
}
