import { factors } from '../catalogue/factors.ts';
import { type TestbedView, withBroker, withChosenBrokers } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../domain/factor.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { brokerKinds } from '../domain/plans/trial-spec.ts';
import type { WorkloadKind } from '../domain/plans/workload.ts';

export interface CellRefusal extends Refusal {
  factor: string;
}

/** One combination of chosen levels. Impossible combinations are included with all reasons. */
export interface Cell {
  key: string;
  levels: Levels;
  refusals: CellRefusal[];
}

/** Returns the levels of a draft by factor; the default level for omitted factors. */
export function chosenLevels(
  draft: Pick<ExperimentDraft, 'factors'>,
  factor: FactorDefinition,
  testbed: TestbedView,
): FactorValue[] {
  const chosen = draft.factors[factor.id];
  if (chosen && chosen.length > 0) return [...new Set(chosen)];
  return [factor.defaultLevel(withChosenBrokers(testbed, draft.factors.broker))];
}

/** Returns the number of combinations before equal combinations are merged. */
export function countCombinations(draft: Pick<ExperimentDraft, 'factors'>, testbed: TestbedView): number {
  return factors.reduce((product, factor) => product * chosenLevels(draft, factor, testbed).length, 1);
}

export function treatmentKey(levels: Levels): string {
  return factors.map((factor) => `${factor.id}=${levels[factor.id] ?? '-'}`).join(';');
}

type Expanded = Pick<ExperimentDraft, 'factors' | 'workload' | 'leaveOut'>;

/**
 * Receives the factors on which a decision about a combination depends; returns whether the combination's
 * refusals are needed.
 */
type OnDecision = (dependsOn: ReadonlySet<string>) => boolean;

/**
 * Returns every combination of the chosen levels once, in catalogue order. A level that does not apply (a
 * suite without TLS) becomes null, so that combinations that differ only in this level are merged.
 */
export function expandTreatments(draft: Expanded, testbed: TestbedView): Cell[] {
  return expand(draft, testbed, { levelsOf: (factor) => chosenLevels(draft, factor, testbed) });
}

interface Expansion {
  levelsOf(factor: FactorDefinition): readonly FactorValue[];
  onDecision?: OnDecision;
}

function expand(draft: Expanded, testbed: TestbedView, { levelsOf, onDecision }: Expansion): Cell[] {
  const reads = onDecision ? new LevelReads() : null;
  let combinations: Levels[] = [{}];
  for (const factor of factors) {
    const chosen = levelsOf(factor);
    combinations = combinations.flatMap((levels) => {
      const seen = reads?.begin(factor.id, levels) ?? levels;
      const fitting = factor.applies(seen, draft.workload.kind)
        ? chosen.filter((value) => factor.fits?.(value, seen) ?? true)
        : [];
      reads?.noteLevel(factor.id);
      if (reads) onDecision?.(reads.found);
      const values = fitting.length > 0 ? fitting : [null];
      return values.map((value) => ({ ...levels, [factor.id]: value }));
    });
  }
  const cells = new Map<string, Cell>();
  for (const levels of combinations) {
    const key = treatmentKey(levels);
    if (cells.has(key)) continue;
    const refusals = factors.flatMap((factor) => {
      const seen = reads?.begin(factor.id, levels) ?? levels;
      const found = refusalOf(factor, seen, { workload: draft.workload.kind, testbed });
      const isWanted = reads === null || (onDecision?.(reads.found) ?? true);
      return found && isWanted ? [found] : [];
    });
    const leaveOut = (draft.leaveOut ?? []).filter(
      (combination) => reads === null || (onDecision?.(reads.ofAll(Object.keys(combination))) ?? true),
    );
    cells.set(key, { key, levels, refusals: [...refusals, ...unwanted(levels, leaveOut)] });
  }
  return [...cells.values()];
}

/** Records which levels a decision reads, and which factors determine whether those levels apply. */
class LevelReads {
  found = new Set<string>();
  /** For each factor, the factors that determine whether it applies. */
  readonly #decidedBy = new Map<string, ReadonlySet<string>>();

  /** Starts recording for a factor; returns levels that record each access. */
  begin(factor: string, levels: Levels): Levels {
    this.found = this.ofAll([factor]);
    return new Proxy(levels, {
      get: (target, id) => {
        if (typeof id !== 'string') return undefined;
        for (const one of this.ofAll([id])) this.found.add(one);
        return target[id];
      },
    });
  }

  noteLevel(factor: string): void {
    this.#decidedBy.set(factor, new Set([...(this.#decidedBy.get(factor) ?? []), ...this.found]));
  }

  ofAll(ids: readonly string[]): Set<string> {
    return new Set(ids.flatMap((id) => [id, ...(this.#decidedBy.get(id) ?? [])]));
  }
}

export interface TreatmentCount {
  /** Distinct combinations, and those of them that are possible. */
  combinations: number;
  treatments: number;
  /**
   * Combinations of factors that depend on each other, with all other factors at their first level, and the
   * refusals that these factors cause. A combination in the draft consists of one combination from every
   * part.
   */
  parts: Cell[][];
}

/**
 * Counts the combinations in a draft without expanding all of them. Factors are independent if no decision
 * (which levels apply, which are refused) reads the levels of both, so their counts are multiplied.
 */
export function countTreatments(draft: Expanded, testbed: TestbedView): TreatmentCount {
  const chosen = new Map(factors.map((factor) => [factor.id, chosenLevels(draft, factor, testbed)]));
  const varied = factors.flatMap(({ id }) => ((chosen.get(id)?.length ?? 0) > 1 ? [id] : []));
  let groups: ReadonlySet<string>[] = varied.map((id) => new Set([id]));
  const parts = new Map<ReadonlySet<string>, Cell[]>();
  for (let next = groups[0]; next; next = groups.find((one) => !parts.has(one))) {
    const group = next;
    const cells = expand(draft, testbed, {
      levelsOf: ({ id }) => (group.has(id) ? (chosen.get(id) ?? []) : (chosen.get(id) ?? []).slice(0, 1)),
      onDecision: (dependsOn) => {
        const touched = groups.filter((one) => [...one].some((id) => dependsOn.has(id)));
        if (touched.length > 1) {
          const joined = new Set(touched.flatMap((one) => [...one]));
          groups = [...groups.filter((one) => !touched.includes(one)), joined];
        }
        return touched.every((one) => one === group);
      },
    });
    parts.set(group, cells);
  }
  if (groups.length === 0) return multiplyParts([expandTreatments(draft, testbed)]);
  return multiplyParts(groups.map((group) => parts.get(group) ?? []));
}

function multiplyParts(parts: Cell[][]): TreatmentCount {
  const product = (countOf: (cells: Cell[]) => number) =>
    parts.reduce((total, cells) => total * countOf(cells), 1);
  return {
    combinations: product(({ length }) => length),
    treatments: product((cells) => cells.filter(({ refusals }) => refusals.length === 0).length),
    parts,
  };
}

function unwanted(levels: Levels, leaveOut: NonNullable<ExperimentDraft['leaveOut']>): CellRefusal[] {
  const found = leaveOut.find((combination) =>
    Object.entries(combination).every(([id, values]) => values.some((value) => value === levels[id])),
  );
  const factor = found && Object.keys(found)[0];
  if (!factor) return [];
  return [{ factor, reason: 'the plan excludes this combination', remedy: 'Remove it from “leaveOut”.' }];
}

/** Checks a level against the broker of the combination, if the testbed has several. */
function refusalOf(
  factor: FactorDefinition,
  levels: Levels,
  { workload, testbed: unchosen }: { workload: WorkloadKind; testbed: TestbedView },
): CellRefusal | null {
  const value = levels[factor.id];
  if (value === null || value === undefined) return null;
  // The broker level is only read if the decision depends on it.
  const testbed = Object.defineProperty({ ...unchosen }, 'broker', {
    get: () => {
      const kind = brokerKinds.find((known) => known === levels.broker);
      return kind === undefined ? unchosen.broker : withBroker(unchosen, kind).broker;
    },
  });
  const refusal = factor.refuse(value, levels, testbed) ?? factor.refuseWorkload?.(value, workload) ?? null;
  return refusal && { factor: factor.id, ...refusal };
}
