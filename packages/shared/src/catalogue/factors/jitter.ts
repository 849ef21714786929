import * as z from 'zod';
import { makeImpairmentFactor } from '../make-factor.ts';

export const jitter = makeImpairmentFactor({
  id: 'jitter',
  label: 'Jitter',
  audience: 'expert',
  help: 'The delay of each packet varies by so much up and down, evenly spread; packets may then overtake each other.',
  unit: 'ms',
  schema: z.number().min(0).max(10_000),
  input: { kind: 'number', min: 0, max: 10_000, integer: false, presets: [0, 1, 5, 20] },
  presets: [0, 1, 5, 20],
  none: 0,
  levelLabel: (value) => (value === 0 ? 'no jitter' : `±${value} ms jitter`),
  shortLabel: (value) => `±${value} ms`,
  impair: (value) => ({ jitterMs: Number(value) }),
  needs: { delayMs: 1 },
  // Nothing can vary where nothing waits, nor by more than it waits.
  applies: ({ delay }) => Number(delay ?? 0) > 0,
  fits: (value, { delay }) => Number(value) <= Number(delay ?? 0),
});
