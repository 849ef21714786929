import * as z from 'zod';
import { makeImpairmentFactor } from '../make-factor.ts';

export const delay = makeImpairmentFactor({
  id: 'delay',
  label: 'Delay',
  audience: 'expert',
  help: 'Time added to every packet between clients and broker in each impaired direction. If both directions are impaired, a round trip takes twice this time longer.',
  unit: 'ms',
  schema: z.number().min(0).max(10_000),
  input: { kind: 'number', min: 0, max: 10_000, integer: false, presets: [0, 10, 50, 100, 300] },
  presets: [0, 10, 50, 100, 300],
  none: 0,
  levelLabel: (value) => (value === 0 ? 'no delay' : `${value} ms delay`),
  shortLabel: (value) => `${value} ms delay`,
  impair: (value) => ({ delayMs: Number(value) }),
});
