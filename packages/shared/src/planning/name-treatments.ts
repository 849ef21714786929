import * as z from 'zod';
import { findFactor, resultFactors } from '../catalogue/factors.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels } from '../domain/factor.ts';
import type { Treatment } from '../domain/plans/plan.ts';

/** Number of colours, dashes and markers. */
const styles = 8;
const separator = ' · ';

type TreatmentNames = Pick<Treatment, 'label' | 'shortLabel' | 'mark' | 'colourLabel' | 'rowLabel'>;

/** Returns the factors with more than one level in these combinations; "does not apply" is not a level. */
export function variedFactors(all: readonly Levels[]): string[] {
  return resultFactors
    .map((factor) => factor.id)
    .filter((id) => new Set(all.flatMap((levels) => levels[id] ?? [])).size > 1);
}

/**
 * Splits the varied factors into factors shown by colour (security if it varies, otherwise the first factor)
 * and factors shown as rows or panels.
 */
export function splitFactors(varied: readonly string[]): { coloured: string[]; others: string[] } {
  const secure = varied.filter((id) => findFactor(id)?.group === 'security');
  const coloured = secure.length > 0 ? secure : varied.slice(0, 1);
  return { coloured, others: varied.filter((id) => !coloured.includes(id)) };
}

/**
 * Names the treatments in one comparison: "TLS 1.3 · AES-256-GCM · ChaCha20 payload · QoS 2". Omits shared
 * levels. Colours depend on the level, so a level has the same colour in every experiment.
 */
export function nameTreatments(all: readonly Levels[], testbed?: TestbedView): TreatmentNames[] {
  const varied = variedFactors(all);
  const { coloured, others } = splitFactors(varied);
  const namer = levelNamer(all, testbed);
  const nameOf = (levels: Levels, ids: readonly string[]) =>
    ids.flatMap((id) => namer(id, levels[id]) ?? []).join(separator);
  const colourNames = all.map((levels) => nameOf(levels, coloured));
  const marks = markColours(colourNames, all, coloured);
  return all.map((levels, index) => {
    const label = nameOf(levels, varied) || (varied.length === 0 ? 'All runs' : 'none');
    const colour = colourNames[index] ?? '';
    return {
      label,
      shortLabel: label,
      mark: marks.get(colour) ?? 1,
      colourLabel: colour || (varied.length === 0 ? label : 'none'),
      rowLabel: others.length > 0 ? nameOf(levels, others) || 'none' : '',
    };
  });
}

/**
 * Names a level so that it differs from the other levels of its factor; undefined if the factor does not
 * apply.
 */
export function levelNamer(all: readonly Levels[], testbed?: TestbedView) {
  const beside = new Map<string, FactorValue[]>();
  return (id: string, value: FactorValue | null | undefined): string | undefined => {
    const factor = findFactor(id);
    if (!factor || value === null || value === undefined) return undefined;
    if (!factor.nameAmong) return factor.shortLabel(value, testbed);
    const others = beside.get(id) ?? [...new Set(all.flatMap((levels) => levels[id] ?? []))];
    beside.set(id, others);
    return factor.nameAmong(value, others);
  };
}

/**
 * Assigns each colour its own position if that is free, otherwise the next one. If there are too many
 * colours, the first has its own position and all others share one.
 */
function markColours(
  names: readonly string[],
  all: readonly Levels[],
  coloured: readonly string[],
): Map<string, number> {
  const levelsOf = new Map(names.map((name, index) => [name, all[index] ?? {}] as const).reverse());
  const distinct = [...new Set(names)];
  if (distinct.length > styles) return new Map(distinct.map((name, index) => [name, index === 0 ? 1 : 2]));
  const marks = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of distinct) {
    let place = placeOf(levelsOf.get(name) ?? {}, coloured);
    while (taken.has(place % styles)) place += 1;
    taken.add(place % styles);
    marks.set(name, (place % styles) + 1);
  }
  return marks;
}

/** Returns the position of a colour, from 0, based only on its levels; a suite implies its protocol. */
function placeOf(levels: Levels, coloured: readonly string[]): number {
  const telling = coloured.filter((id) => id !== 'security' || !levels.cipherSuite);
  return telling.reduce((sum, id) => {
    const factor = findFactor(id);
    const value = levels[id];
    return factor && value !== null && value !== undefined ? sum + orderOf(factor, value) : sum;
  }, 0);
}

function orderOf(factor: FactorDefinition, value: FactorValue): number {
  const { schema, input, usual } = factor;
  const known =
    usual ??
    (schema instanceof z.ZodEnum ? schema.options : input.kind === 'number' ? input.presets : undefined);
  const place = known?.indexOf(value) ?? -1;
  if (place >= 0) return place;
  return [...String(value)].reduce((sum, character) => sum * 31 + character.charCodeAt(0), 7) % 1009;
}
