import { factors } from '@mqttlab/shared/catalogue/factors';
import type { ExperimentDraft } from '@mqttlab/shared/domain/experiment-draft';
import type { FactorDefinition, FactorGroup } from '@mqttlab/shared/domain/factor';
import type { TestbedView } from '@mqttlab/shared/domain/testbed-view';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';

export const factorGroups: readonly { id: FactorGroup; label: string }[] = [
  { id: 'security', label: 'Security' },
  { id: 'payload', label: 'Payload' },
  { id: 'message', label: 'Message' },
  { id: 'load', label: 'Load' },
  { id: 'network', label: 'Network' },
  { id: 'system', label: 'Programs' },
];

export interface FactorLayout {
  groups: { id: FactorGroup; label: string; factors: FactorDefinition[] }[];
  held: FactorDefinition[];
}

type Draft = Pick<ExperimentDraft, 'factors'>;

export function isVaried(factor: FactorDefinition, draft: Draft, view: TestbedView): boolean {
  return chosenLevels(draft, factor, view).length > 1;
}

/**
 * Factors in the panels of their groups, and those held constant. A factor stays in its panel once it was opened, so
 * that taking out its second level does not make it jump away.
 */
export function layOutFactors(draft: Draft, view: TestbedView, opened: ReadonlySet<string>): FactorLayout {
  const isShown = (factor: FactorDefinition) => opened.has(factor.id) || isVaried(factor, draft, view);
  return {
    groups: factorGroups
      .map((group) => ({
        ...group,
        factors: factors.filter((factor) => factor.group === group.id && isShown(factor)),
      }))
      .filter((group) => group.factors.length > 0),
    held: factors.filter((factor) => !isShown(factor)),
  };
}

/** What stands open at first: what is varied, and the security that the draft itself names. */
export function initiallyOpen(draft: Draft, view: TestbedView): Set<string> {
  return new Set(
    factors
      .filter(
        (factor) =>
          isVaried(factor, draft, view) ||
          (factor.group === 'security' && draft.factors[factor.id] !== undefined),
      )
      .map((factor) => factor.id),
  );
}
