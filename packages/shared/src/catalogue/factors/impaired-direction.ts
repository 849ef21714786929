import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type ImpairmentDirection, impairmentDirections } from '../../domain/plans/impairment.ts';
import { impairs } from '../make-factor.ts';

const labels: Readonly<Record<ImpairmentDirection, string>> = {
  both: 'both directions',
  'towards the broker': 'towards the broker',
  'from the broker': 'from the broker',
};

export const impairedDirection: FactorDefinition = {
  id: 'impairedDirection',
  label: 'Impaired direction',
  group: 'network',
  audience: 'expert',
  help: 'Which packets are lost, delayed or slowed: those that clients send, those that the broker sends, or both.',
  unit: null,
  schema: z.enum(impairmentDirections),
  input: { kind: 'choice' },
  defaultLevel: () => 'both',
  options: () => impairmentDirections.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => labels[value as ImpairmentDirection],
  shortLabel: (value) => labels[value as ImpairmentDirection],
  applies: impairs,
  // Each quality is refused with its own reason, for the directions chosen.
  refuse: () => null,
  apply: (spec, value) => ({
    ...spec,
    impairment: { ...spec.impairment, direction: (value ?? 'both') as ImpairmentDirection },
  }),
};
