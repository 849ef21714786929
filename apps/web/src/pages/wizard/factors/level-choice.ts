import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorValue, Refusal } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { formatFixed } from '@mqttlab/shared/format/number';
import { NBSP } from '@mqttlab/shared/format/quantity';
import { optionsOf, refusalOf } from '@mqttlab/shared/planning/check-plan';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';

type Factors = ExperimentDraft['factors'];

export interface LevelChip {
  value: FactorValue;
  label: string;
  /** For suites, groups and names of interfaces. */
  isMono: boolean;
  isChosen: boolean;
  refusal: Refusal | null;
  /** Where the list has sections. */
  section: string | null;
  /** Why it belongs into a laboratory only. */
  caution: string | null;
}

/** Levels worth showing and levels chosen, in the order of the catalogue; numbers by size. */
export function chipsOf(
  factor: FactorDefinition,
  draft: Pick<ExperimentDraft, 'factors'>,
  view: TestbedView,
): LevelChip[] {
  const options = optionsOf(factor, draft, view);
  const chosen = chosenLevels(draft, factor, view);
  const own = chosen
    .filter((value) => !options.some((option) => option.value === value))
    .map((value) => ({
      value,
      refusal: isLevel(factor, value) ? refusalOf({ factor, value }, draft, view) : notALevel,
    }));
  return inOrder(factor, [...options, ...own]).map(({ value, refusal }) => ({
    value,
    label: chipLabel(factor, value, view),
    isMono: isMonoLabel(factor, value),
    isChosen: chosen.includes(value),
    refusal,
    section: factor.section?.(value) ?? null,
    caution: factor.caution?.(value) ?? null,
  }));
}

const notALevel: Refusal = { reason: 'is not a level of this factor', remedy: 'Take it out.' };

function isLevel(factor: FactorDefinition, value: FactorValue): boolean {
  return factor.schema.safeParse(value).success;
}

function inOrder<Entry extends { value: FactorValue }>(factor: FactorDefinition, entries: Entry[]): Entry[] {
  if (factor.input.kind !== 'number') return entries;
  const rank = ({ value }: Entry) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
  return [...entries].sort((a, b) => rank(a) - rank(b));
}

/** The chosen levels with this one in or out, in chip order; null where it is the last one. */
export function toggleLevel(chips: readonly LevelChip[], value: FactorValue): FactorValue[] | null {
  const next = chips
    .filter((chip) => (chip.value === value ? !chip.isChosen : chip.isChosen))
    .map((chip) => chip.value);
  return next.length === 0 ? null : next;
}

/** A new level among the chosen ones, at its place by size. */
export function addLevel(
  factor: FactorDefinition,
  chosen: readonly FactorValue[],
  value: FactorValue,
): FactorValue[] {
  const entries = [...new Set([...chosen, value])].map((each) => ({ value: each }));
  return inOrder(factor, entries).map((entry) => entry.value);
}

export function setLevels(factors: Factors, id: string, levels: readonly FactorValue[]): Factors {
  return { ...factors, [id]: [...levels] };
}

/** "256 B", "100/s", "TLS 1.3": short enough for a chip in a row that names the factor. */
export function chipLabel(factor: FactorDefinition, value: FactorValue, view?: TestbedView): string {
  if (typeof value !== 'number' || factor.input.kind !== 'number') return factor.levelLabel(value, view);
  const figure = formatFixed(value, Math.min(4, decimalsOf(value)));
  if (!factor.unit) return figure;
  return factor.unit.startsWith('/') ? `${figure}${factor.unit}` : `${figure}${NBSP}${factor.unit}`;
}

function decimalsOf(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

/** Names that machines gave: one word with a figure in it, shown as it is. */
function isMonoLabel(factor: FactorDefinition, value: FactorValue): boolean {
  const label = factor.levelLabel(value);
  return factor.input.kind === 'choice' && label === value && /^\S*\d\S*$/.test(label);
}
