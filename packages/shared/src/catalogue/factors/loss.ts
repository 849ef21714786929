import * as z from 'zod';
import { makeImpairmentFactor } from '../make-factor.ts';

export const loss = makeImpairmentFactor({
  id: 'loss',
  label: 'Loss',
  audience: 'everyone',
  help: 'Share of packets between clients and broker that are dropped at random, independently of each other. TCP retransmits them, so loss adds latency.',
  unit: '%',
  schema: z.number().min(0).max(50),
  input: { kind: 'number', min: 0, max: 50, integer: false, presets: [0, 0.5, 1, 2, 4, 10] },
  presets: [0, 0.5, 1, 2, 4, 10],
  none: 0,
  levelLabel: (value) => (value === 0 ? 'no loss' : `${value} % loss`),
  shortLabel: (value) => `${value} % loss`,
  impair: (value) => ({ lossPercent: Number(value) }),
});
