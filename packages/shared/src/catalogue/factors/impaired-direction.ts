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
  help: 'Which packets are dropped, delayed or rate-limited: packets from the clients, packets from the broker, or both.',
  unit: null,
  schema: z.enum(impairmentDirections),
  input: { kind: 'choice' },
  defaultLevel: () => 'both',
  options: () => impairmentDirections.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => labels[value as ImpairmentDirection],
  shortLabel: (value) => labels[value as ImpairmentDirection],
  applies: impairs,
  // The factors for loss, delay, jitter and rate limit each check the chosen direction.
  refuse: () => null,
  apply: (spec, value) => ({
    ...spec,
    impairment: { ...spec.impairment, direction: (value ?? 'both') as ImpairmentDirection },
  }),
};
