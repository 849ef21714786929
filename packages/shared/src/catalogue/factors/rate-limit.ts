import * as z from 'zod';
import { makeImpairmentFactor } from '../make-factor.ts';

const unlimited = 'none';

export const rateLimit = makeImpairmentFactor({
  id: 'rateLimit',
  label: 'Rate limit',
  audience: 'expert',
  help: 'Maximum rate at which each device may send on the link between clients and broker. Excess packets are queued, or dropped if the queue is full.',
  unit: 'Mbit/s',
  schema: z.union([z.literal(unlimited), z.number().min(0.05).max(10_000)]),
  input: { kind: 'number', min: 0.05, max: 10_000, integer: false, presets: [0.25, 1, 10, 100] },
  presets: [unlimited, 0.25, 1, 10, 100],
  none: unlimited,
  levelLabel: (value) => (value === unlimited ? 'no rate limit' : `at most ${value} Mbit/s`),
  shortLabel: (value) => (value === unlimited ? 'unlimited' : `${value} Mbit/s`),
  impair: (value) => ({ rateMbit: value === unlimited ? null : Number(value) }),
});
