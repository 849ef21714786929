import { factors, findFactor } from '../catalogue/factors.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorValue } from '../domain/factor.ts';
import { type Cell, expandTreatments } from './expand-treatments.ts';
import { type DraftChoice, makeStudyDraft } from './study.ts';

/** A part of a study that a testbed cannot run, with the reason and, if possible, a remedy. */
export interface LeftOut {
  what: string;
  reason: string;
  remedy: string;
}

/**
 * Returns the items of a part that a testbed omits: its gaps, unmet needs, and levels that planning refuses
 * in all combinations. Empty if the complete part can run.
 */
export function leftOutOf(choice: DraftChoice, testbed: TestbedView): LeftOut[] {
  const { study, part } = choice;
  const needs = study.needs.flatMap(({ label, refuse }) => {
    const refusal = part.plan === null ? null : refuse(testbed);
    return refusal ? [{ what: label, ...refusal }] : [];
  });
  const gaps = part.gaps.map(({ what, reason }) => ({ what, reason, remedy: '' }));
  const draft = makeStudyDraft(choice, testbed);
  const levels = draft ? refusedLevels(expandTreatments(draft, testbed), testbed) : [];
  return [...missingRoles(testbed), ...gaps, ...needs, ...levels];
}

/** Returns missing roles, without which the part cannot run. */
function missingRoles({ missingRoles: roles }: TestbedView): LeftOut[] {
  return roles.map((role) => ({
    what: `Everything: no ${role}`,
    reason: `no online device of the testbed has the role ${role}`,
    remedy: 'Switch it on, or choose devices for this testbed on the Devices page.',
  }));
}

/** Returns the requested levels that are not in any possible combination, with the reason. */
function refusedLevels(cells: readonly Cell[], testbed: TestbedView): LeftOut[] {
  const possible = cells.filter(({ refusals }) => refusals.length === 0);
  return factors.flatMap(({ id }) => {
    const kept = new Set(possible.map(({ levels }) => levels[id]));
    const asked = new Set(cells.map(({ levels }) => levels[id]));
    return [...asked].flatMap((value) => {
      if (value === null || value === undefined || kept.has(value)) return [];
      return [{ what: nameOf(id, value, testbed), ...whyNot(cells, id, value) }];
    });
  });
}

/** Returns the reason for refusing the level itself, from the combination with the fewest refusals. */
function whyNot(cells: readonly Cell[], id: string, value: FactorValue): { reason: string; remedy: string } {
  const own = cells
    .filter(({ levels }) => levels[id] === value)
    .sort((a, b) => a.refusals.length - b.refusals.length);
  const refusals = own[0]?.refusals ?? [];
  const refusal = refusals.find(({ factor }) => factor === id) ?? refusals[0];
  return { reason: refusal?.reason ?? 'nothing combines with it', remedy: refusal?.remedy ?? '' };
}

function nameOf(id: string, value: FactorValue, testbed: TestbedView): string {
  const factor = findFactor(id);
  return factor ? `${factor.label} ${factor.levelLabel(value, testbed)}` : String(value);
}
