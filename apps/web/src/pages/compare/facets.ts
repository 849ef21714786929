import { factors } from '@mqttlab/shared/catalogue/factors';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';

/** A level as it stands in the address, and its name. */
export type Level = { value: string; label: string };

/** Something that differs between the treatments: a factor, or the experiment they come from. */
export type Facet = { id: string; label: string; levels: Level[]; levelOf(entry: ComparedTreatment): Level };

/** What has several levels here, in the order of the treatments; not applying (value '') is none of them. */
export function facetsOf(treatments: readonly ComparedTreatment[]): Facet[] {
  const experiment = facet('experiment', 'Experiment', ({ experimentId }) => ({
    value: String(experimentId),
    label: `E-${experimentId}`,
  }));
  const all = factors.map((factor) =>
    facet(factor.id, factor.label, ({ treatment }) => {
      const level = treatment.levels[factor.id];
      if (level === null || level === undefined)
        return { value: '', label: `No ${factor.label.toLowerCase()}` };
      const name = factor.nameInTreatment ?? factor.shortLabel;
      return { value: String(level), label: name(level) };
    }),
  );
  return [experiment, ...all]
    .map((make) => make(treatments))
    .filter(({ levels }) => levels.filter(({ value }) => value !== '').length > 1);
}

function facet(id: string, label: string, levelOf: Facet['levelOf']) {
  return (treatments: readonly ComparedTreatment[]): Facet => {
    const levels = new Map(treatments.map((entry) => [levelOf(entry).value, levelOf(entry)]));
    return { id, label, levels: [...levels.values()], levelOf };
  };
}

/** "factor=level", as filters stand in the address. */
export function levelKey(facetId: string, value: string): string {
  return `${facetId}=${value}`;
}

/** Treatments none of whose levels was left out. */
export function withoutLevels(
  treatments: readonly ComparedTreatment[],
  facets: readonly Facet[],
  without: readonly string[],
): ComparedTreatment[] {
  if (without.length === 0) return [...treatments];
  const left = new Set(without);
  return treatments.filter(
    (entry) => !facets.some((one) => left.has(levelKey(one.id, one.levelOf(entry).value))),
  );
}

/** True where each key goes with one level only, so that naming the level adds nothing. */
export function isDetermined(
  one: Facet,
  treatments: readonly ComparedTreatment[],
  keyOf: (entry: ComparedTreatment) => string,
): boolean {
  const seen = new Map<string, string>();
  return treatments.every((entry) => {
    const { value } = one.levelOf(entry);
    const key = keyOf(entry);
    const before = seen.get(key) ?? value;
    seen.set(key, before);
    return before === value;
  });
}
