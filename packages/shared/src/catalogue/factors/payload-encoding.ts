import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type PayloadEncodingName, payloadEncodings } from '../../domain/plans/trial-spec.ts';
import { payloadEncodingDefinitions } from '../ciphers/payload-ciphers.ts';
import { carriesMessages } from '../workloads.ts';
import { refuseOtherClients } from './payload-cipher.ts';

export const payloadEncoding: FactorDefinition = {
  id: 'payloadEncoding',
  label: 'Payload encoding',
  group: 'payload',
  audience: 'expert',
  help: 'Raw bytes, or base64 in a JSON object with the send time, which makes payloads a third larger. Applies with or without encryption.',
  unit: null,
  schema: z.enum(payloadEncodings),
  input: { kind: 'choice' },
  defaultLevel: () => 'binary',
  options: () => payloadEncodings.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => payloadEncodingDefinitions[value as PayloadEncodingName].label,
  shortLabel: (value) => (value === 'binary' ? 'binary' : 'base64'),
  applies: (_levels, workload) => carriesMessages(workload),
  refuse: (value, levels) => (value === 'binary' ? null : refuseOtherClients(levels, 'encode payloads')),
  apply: (spec, value) => ({ ...spec, payloadEncoding: (value ?? 'binary') as PayloadEncodingName }),
};
