import { factors } from '@mqttlab/shared/catalogue/factors';
import type { ComparedTreatment, Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { levelNamer } from '@mqttlab/shared/planning/name-treatments';
import { identityOf, TREATMENT_STYLES, type TreatmentIdentity } from '../../ui/treatment-mark.tsx';
import type { CompareState } from './compare-state.ts';

export type ArrangementChoice = Pick<CompareState, 'hidden' | 'group' | 'colour' | 'without'>;

/** The shown treatments with their panels, names and baselines. */
type Arrangement = {
  facets: Facet[];
  shown: ComparedTreatment[];
  titleOf(entry: ComparedTreatment): string;
  identity(entry: ComparedTreatment): TreatmentIdentity;
  /** Returns the name of the factor shown by colour. */
  colourName(entry: ComparedTreatment): string;
  /** Absent if the plan's baselines apply. */
  pairs?: (baseline: ComparedTreatment) => [ComparedTreatment, ComparedTreatment][];
};

/** Arranges the treatments as requested by the address, and by default as planned. */
export function arrange(comparison: Comparison, choice: ArrangementChoice): Arrangement {
  const { treatments } = comparison;
  const facets = facetsOf(treatments);
  const kept = withoutLevels(treatments, facets, choice.without);
  const shown = kept.filter((entry) => !choice.hidden.includes(entry.id));
  const byColour = facets.find(({ id }) => id === choice.colour);
  const byGroup = facets.find(({ id }) => id === choice.group);
  if (!byColour && !byGroup && choice.group !== 'none') {
    return {
      facets,
      shown,
      titleOf: (entry) => plannedTitle(entry, comparison),
      identity: (entry) => plannedIdentity(entry, comparison),
      colourName: (entry) => entry.treatment.colourLabel,
    };
  }
  const colourKey = (entry: ComparedTreatment) =>
    byColour ? byColour.levelOf(entry).value : entry.treatment.colourLabel;
  // The name includes every level that neither colour nor panel shows.
  const rows = facets.filter((one) => one !== byColour && !isDetermined(one, treatments, colourKey));
  const titled = byGroup ? [byGroup] : choice.group === 'none' ? [] : rows;
  const titleOf = (entry: ComparedTreatment) => nameOf(titled, entry);
  const place = (entry: ComparedTreatment) => `${colourKey(entry)}\n${titleOf(entry)}`;
  const named = rows.filter((one) => !titled.includes(one) && !isDetermined(one, treatments, place));
  return {
    facets,
    shown,
    titleOf,
    identity: (entry) => {
      const planned = plannedIdentity(entry, comparison);
      const own = byColour ? { ...planned, ...colourIdentity(byColour, entry) } : planned;
      const rest = nameOf(named, entry);
      return rest === '' ? own : { ...own, shortLabel: `${own.shortLabel} · ${rest}` };
    },
    colourName: (entry) => (byColour ? byColour.levelOf(entry).label : entry.treatment.colourLabel),
    ...(byColour ? { pairs: (baseline) => pairsBy({ shown, rows, colourKey }, baseline) } : {}),
  };
}

/** Returns the names of the levels. A factor that does not apply is named only if it is the only factor. */
function nameOf(facets: readonly Facet[], entry: ComparedTreatment): string {
  const levels = facets.map((one) => one.levelOf(entry));
  const applying = levels.filter(({ value }) => value !== '');
  return (applying.length > 0 ? applying : levels.slice(0, 1)).map(({ label }) => label).join(' · ');
}

function colourIdentity(byColour: Facet, entry: ComparedTreatment): Partial<TreatmentIdentity> {
  const { value, label } = byColour.levelOf(entry);
  const place = byColour.levels.findIndex((level) => level.value === value);
  const shortLabel = byColour.levels[place]?.label ?? label;
  // If there are more levels than colours, the first level has a separate colour and all others share one.
  const index = byColour.levels.length > TREATMENT_STYLES ? Math.min(place, 1) + 1 : place + 1;
  return { index, shortLabel };
}

type Pairing = {
  shown: readonly ComparedTreatment[];
  rows: readonly Facet[];
  colourKey(entry: ComparedTreatment): string;
};

/**
 * Pairs each treatment with the baseline that shares every other level. Treatments without such a baseline
 * have no entry.
 */
function pairsBy(
  { shown, rows, colourKey }: Pairing,
  chosen: ComparedTreatment,
): [ComparedTreatment, ComparedTreatment][] {
  const candidates = shown.filter((entry) => colourKey(entry) === colourKey(chosen));
  return shown.flatMap((entry): [ComparedTreatment, ComparedTreatment][] => {
    if (colourKey(entry) === colourKey(chosen)) return [];
    const twin = candidates.find((other) =>
      rows.every((one) => {
        const [a, b] = [one.levelOf(entry).value, one.levelOf(other).value];
        // A factor that does not apply on one side, such as the suite of plain MQTT, does not count as a
        // difference.
        return a === b || a === '' || b === '';
      }),
    );
    return twin ? [[entry, twin]] : [];
  });
}

function plannedTitle(entry: ComparedTreatment, comparison: Comparison): string {
  const { rowLabel } = entry.treatment;
  if (comparison.experiments.length < 2) return rowLabel;
  return [`E-${entry.experimentId}`, rowLabel].filter(Boolean).join(' · ');
}

function plannedIdentity(entry: ComparedTreatment, comparison: Comparison): TreatmentIdentity {
  const isOne = comparison.experiments.length < 2;
  const { label } = entry.treatment;
  return {
    ...identityOf(entry.treatment, true),
    id: entry.id,
    label: isOne ? label : `E-${entry.experimentId} · ${label}`,
  };
}

/** A level as written in the address, and its name. */
type Level = { value: string; label: string };

/** A property that differs between treatments: a factor, or the experiment that contains them. */
export type Facet = {
  id: string;
  label: string;
  /** Every level once, with a distinct name. */
  levels: Level[];
  levelOf(entry: ComparedTreatment): Level;
};

/**
 * Returns the factors with several levels, in the order of the treatments. "Does not apply" (value '') is not
 * a level.
 */
function facetsOf(treatments: readonly ComparedTreatment[]): Facet[] {
  const experiment = facet('experiment', 'Experiment', ({ experimentId }) => ({
    value: String(experimentId),
    label: `E-${experimentId}`,
  }));
  const nameOf = levelNamer(treatments.map(({ treatment }) => treatment.levels));
  const all = factors.map((factor) =>
    facet(factor.id, factor.label, ({ treatment }) => {
      const level = treatment.levels[factor.id];
      if (level === null || level === undefined)
        return { value: '', label: `No ${factor.label.toLowerCase()}` };
      return { value: String(level), label: nameOf(factor.id, level) ?? String(level) };
    }),
  );
  return [experiment, ...all]
    .map((make) => make(treatments))
    .filter(({ levels }) => levels.filter(({ value }) => value !== '').length > 1);
}

function facet(id: string, label: string, levelOf: Facet['levelOf']) {
  return (treatments: readonly ComparedTreatment[]): Facet => {
    const levels = new Map(treatments.map((entry) => [levelOf(entry).value, levelOf(entry)]));
    return { id, label, levels: distinctly([...levels.values()]), levelOf };
  };
}

/** Adds the value to names that several levels share: "AES-256-GCM" is a suite of TLS 1.2 and one of TLS 1.3. */
function distinctly(levels: readonly Level[]): Level[] {
  const byLabel = Map.groupBy(levels, ({ label }) => label);
  return levels.map(({ value, label }) => ({
    value,
    label: (byLabel.get(label)?.length ?? 0) > 1 ? `${label} (${value})` : label,
  }));
}

/** Returns "factor=level", the format of filters in the address. */
export function levelKey(facetId: string, value: string): string {
  return `${facetId}=${value}`;
}

/** Returns the treatments without excluded levels. */
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

/** Returns true if each key has only one level, so that naming the level adds nothing. */
function isDetermined(
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

/** Adds the item to the list, or removes it. */
export function toggled(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((one) => one !== item) : [...list, item];
}
