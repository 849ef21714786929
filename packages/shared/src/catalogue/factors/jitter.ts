import * as z from 'zod';
import { makeImpairmentFactor } from '../make-factor.ts';

export const jitter = makeImpairmentFactor({
  id: 'jitter',
  label: 'Jitter',
  audience: 'expert',
  help: 'Each packet’s delay varies uniformly by up to this time, plus or minus. Packets can then overtake each other.',
  unit: 'ms',
  schema: z.number().min(0).max(10_000),
  input: { kind: 'number', min: 0, max: 10_000, integer: false, presets: [0, 1, 5, 20] },
  presets: [0, 1, 5, 20],
  none: 0,
  levelLabel: (value) => (value === 0 ? 'no jitter' : `±${value} ms jitter`),
  shortLabel: (value) => `±${value} ms`,
  impair: (value) => ({ jitterMs: Number(value) }),
  needs: { delayMs: 1 },
  // Jitter needs a delay and cannot exceed it.
  applies: ({ delay }) => Number(delay ?? 0) > 0,
  fits: (value, { delay }) => Number(value) <= Number(delay ?? 0),
});
