import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { FactorDefinition, FactorValue, Refusal } from '@mqttlab/shared/domain/factor';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { formatFixed } from '@mqttlab/shared/format/number';
import { NBSP } from '@mqttlab/shared/format/quantity';
import { optionsOf, refusalOf } from '@mqttlab/shared/planning/check-plan';
import { chosenLevels } from '@mqttlab/shared/planning/expand-treatments';
import type { FieldProblem } from '../../../ui/input/field.tsx';
import { capitalise } from './steps.ts';
import { useWizard } from './wizard-context.tsx';

export interface LevelChip {
  value: FactorValue;
  label: string;
  /** True for suites, groups and interface names, which are shown in monospace. */
  isMono: boolean;
  isChosen: boolean;
  refusal: Refusal | null;
  /** Section of the level, if the list has sections. */
  section: string | null;
  /** Why the level is suitable for laboratories only. */
  caution: string | null;
}

/** Returns the offered and selected levels in catalogue order; numbers are sorted by size. */
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

const notALevel: Refusal = { reason: 'is not a level of this factor', remedy: 'Remove it.' };

function isLevel(factor: FactorDefinition, value: FactorValue): boolean {
  return factor.schema.safeParse(value).success;
}

function inOrder<Entry extends { value: FactorValue }>(factor: FactorDefinition, entries: Entry[]): Entry[] {
  if (factor.input.kind !== 'number') return entries;
  const rank = ({ value }: Entry) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
  return [...entries].sort((a, b) => rank(a) - rank(b));
}

/** Adds or removes a level, in chip order. Returns null for the last remaining level. */
export function toggleLevel(chips: readonly LevelChip[], value: FactorValue): FactorValue[] | null {
  const next = chips
    .filter((chip) => (chip.value === value ? !chip.isChosen : chip.isChosen))
    .map((chip) => chip.value);
  return next.length === 0 ? null : next;
}

/** Inserts a new level into the selected ones, sorted by size. */
export function addLevel(
  factor: FactorDefinition,
  chosen: readonly FactorValue[],
  value: FactorValue,
): FactorValue[] {
  const entries = [...new Set([...chosen, value])].map((each) => ({ value: each }));
  return inOrder(factor, entries).map((entry) => entry.value);
}

/** Returns "256 B", "100/s" or "TLS 1.3", short enough for a chip in a row that names the factor. */
export function chipLabel(factor: FactorDefinition, value: FactorValue, view?: TestbedView): string {
  if (typeof value !== 'number' || factor.input.kind !== 'number') return factor.levelLabel(value, view);
  const figure = formatFixed(value, Math.min(4, decimalsOf(value)));
  if (!factor.unit) return figure;
  return factor.unit.startsWith('/') ? `${figure}${factor.unit}` : `${figure}${NBSP}${factor.unit}`;
}

function decimalsOf(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

/** Returns true for machine-generated names, which are one word with a digit and shown unchanged. */
function isMonoLabel(factor: FactorDefinition, value: FactorValue): boolean {
  const label = factor.levelLabel(value);
  return factor.input.kind === 'choice' && label === value && /^\S*\d\S*$/.test(label);
}

type ParsedLevel = { ok: true; value: FactorValue } | { ok: false; problem: FieldProblem };

type LevelInput = {
  text: string;
  factor: FactorDefinition;
  chosen: readonly FactorValue[];
  view: TestbedView;
};

/** Parses a typed numeric level. Returns the value, or the problem with a remedy. */
export function parseLevel({ text, factor, chosen, view }: LevelInput): ParsedLevel {
  const { input } = factor;
  if (input.kind !== 'number')
    return refuse('This factor does not accept numbers.', 'Choose one of its levels.');
  const bounds = boundsWords(factor);
  const compact = text.replaceAll(/[\s\u00a0\u202f_]/g, '');
  if (compact === '') return refuse('Nothing was entered.', `Enter a number ${bounds}.`);
  if (/^[+-]?\d+,\d+$/.test(compact)) {
    return refuse('A comma is ambiguous.', 'Write decimals with a point and thousands without a separator.');
  }
  const value = Number(compact);
  if (!Number.isFinite(value))
    return refuse(`“${text.trim()}” is not a number.`, `Enter a number ${bounds}.`);
  if (input.integer && !Number.isInteger(value)) {
    return refuse(`${compact} is not a whole number.`, `Enter a whole number ${bounds}.`);
  }
  if (value < input.min || value > input.max || !factor.schema.safeParse(value).success) {
    return refuse(`${compact} is out of range.`, `Enter a number ${bounds}.`);
  }
  if (chosen.includes(value))
    return refuse(`${chipLabel(factor, value)} is already selected.`, 'Enter another one.');
  const refusal = factor.refuse(value, {}, view);
  return refusal ? refuse(`${capitalise(refusal.reason)}.`, refusal.remedy) : { ok: true, value };
}

/** Returns "from 1 to 1,048,576 B". */
export function boundsWords({ input, unit }: Pick<FactorDefinition, 'input' | 'unit'>): string {
  if (input.kind !== 'number') return '';
  const figure = (value: number) => formatFixed(value, Number.isInteger(value) ? 0 : 2);
  return `from ${figure(input.min)} to ${figure(input.max)}${unit ? ` ${unit}` : ''}`;
}

function refuse(what: string, remedy: string): ParsedLevel {
  return { ok: false, problem: { what, remedy } };
}

export interface LevelSection {
  /** "TLS 1.2" */
  name: string;
  chips: LevelChip[];
  chosen: number;
  /** Levels that the testbed supports. */
  possible: FactorValue[];
  /** Supported levels without a security warning. */
  sound: FactorValue[];
}

/** Returns sections in the order of their first level; null for factors without sections. */
export function sectionsOf(chips: readonly LevelChip[]): LevelSection[] | null {
  if (chips.every((chip) => chip.section === null)) return null;
  return [...Map.groupBy(chips, (chip) => chip.section ?? 'Other')].map(([name, own]) => ({
    name,
    chips: own,
    chosen: own.filter((chip) => chip.isChosen).length,
    possible: own.filter((chip) => !chip.refusal).map((chip) => chip.value),
    sound: own.filter((chip) => !chip.refusal && chip.caution === null).map((chip) => chip.value),
  }));
}

/**
 * Returns all selected levels after selecting exactly `wanted` in one section. Returns null if no level would
 * remain, because a factor requires at least one.
 */
export function chooseInSection(
  chips: readonly LevelChip[],
  section: LevelSection,
  wanted: readonly FactorValue[],
): FactorValue[] | null {
  const next = chips
    .filter((chip) => (section.chips.includes(chip) ? wanted.includes(chip.value) : chip.isChosen))
    .map((chip) => chip.value);
  return next.length === 0 ? null : next;
}

/** Returns the buttons of a section: "all 41", "27 secure ones", "none". */
export function quickPicksOf({
  chips,
  possible,
  sound,
  chosen,
}: LevelSection): { label: string; values: readonly FactorValue[] }[] {
  if (chips.length < 2) return [];
  return [
    ...(possible.length > 1 && chosen < possible.length
      ? [{ label: `all ${possible.length}`, values: possible }]
      : []),
    ...(sound.length > 1 && sound.length < possible.length
      ? [{ label: `${sound.length} secure ones`, values: sound }]
      : []),
    ...(chosen > 0 ? [{ label: 'none', values: [] }] : []),
  ];
}

/**
 * Lists of up to `whole` chips are shown completely. Longer lists show as many chips of each kind as
 * `preview` states.
 */
const whole = 9;
const preview = { chosen: 8, possible: 3, impossible: 2 };

/**
 * Returns the selected chips first, then the others. Impossible levels are last, but the preview keeps some
 * of them.
 */
export function foldChips(
  chips: readonly LevelChip[],
  isUnfolded: boolean,
): { shown: LevelChip[]; folded: number } {
  const possible = chips.filter((chip) => !chip.refusal);
  const impossible = chips.filter((chip) => chip.refusal);
  const ordered = [...possible, ...impossible];
  if (isUnfolded || chips.length <= whole) return { shown: ordered, folded: 0 };
  const left = { ...preview };
  const shown = ordered.filter((chip) => {
    // A selected impossible level stays visible, because the user must remove it.
    if (chip.isChosen && chip.refusal) return true;
    const kind = chip.isChosen ? 'chosen' : chip.refusal ? 'impossible' : 'possible';
    left[kind] -= 1;
    return left[kind] >= 0;
  });
  return { shown, folded: chips.length - shown.length };
}

export type Levels = ReturnType<typeof useLevels>;

/** Reads and writes the levels of one factor of the draft. */
export function useLevels(factor: FactorDefinition) {
  const { draft, edit, planning } = useWizard();
  const { view } = planning;
  const chips = chipsOf(factor, draft, view);
  const chosen = chosenLevels(draft, factor, view);
  const set = (levels: readonly FactorValue[]) =>
    edit({ factors: { ...draft.factors, [factor.id]: [...levels] } });
  return {
    chips,
    /** Returns false for the last level of a factor, which cannot be removed. */
    toggle: (value: FactorValue) => {
      const next = toggleLevel(chips, value);
      if (next) set(next);
    },
    /** Selects a single level. */
    choose: (value: FactorValue) => set([value]),
    parse: (text: string) => parseLevel({ text, factor, chosen, view }),
    add: (value: FactorValue) => set(addLevel(factor, chosen, value)),
    set,
  };
}
