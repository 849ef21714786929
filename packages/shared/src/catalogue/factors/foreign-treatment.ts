import * as z from 'zod';
import type { FactorDefinition, Levels } from '../../domain/factor.ts';

/**
 * Names the treatments of measurements made with another tool. This factor is not in `factors`, because no
 * plan can vary it: only the names of such treatments are known.
 */
export const foreignTreatment: FactorDefinition = {
  id: 'foreign',
  label: 'Foreign treatment',
  group: 'system',
  audience: 'expert',
  help: 'Name of a treatment that was measured with another tool.',
  unit: null,
  schema: z.string().min(1).max(200),
  input: { kind: 'choice' },
  defaultLevel: () => 'foreign',
  options: () => [],
  levelLabel: String,
  shortLabel: String,
  applies: () => false,
  refuse: () => ({
    reason: 'mqttlab does not know the settings of a treatment that another tool measured',
    remedy: 'Choose levels of the other factors.',
  }),
  apply: (spec) => spec,
};

/** True if another tool measured a treatment with these levels, so that its specification is meaningless. */
export function isForeign(levels: Levels): boolean {
  return (levels[foreignTreatment.id] ?? null) !== null;
}
