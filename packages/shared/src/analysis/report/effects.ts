import { findFactor } from '../../catalogue/factors.ts';
import type { Plan, Treatment } from '../../domain/plans/plan.ts';
import type { ReportEffect } from '../../domain/report/report.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { adjustHolm } from '../../statistics/comparisons/multiple-testing.ts';
import { pairedTest } from '../../statistics/comparisons/t-test.ts';
import { mean } from '../../statistics/descriptive/summary.ts';
import { meanInterval } from '../../statistics/estimates/interval.ts';
import { isOnLogScale, minRuns } from '../estimate.ts';
import { differingBases } from '../run-values.ts';
import { type ReportContext, valuesIn } from './report-input.ts';

interface Axis {
  label: string;
  /** In the order of the plan; the first is what the others are held against. */
  levels: string[];
  levelOf(treatment: Treatment): string;
}

interface Cells {
  /** `ratio`: the values are logarithms. */
  scale: ReportEffect['scale'];
  at(block: number, key: string): number | undefined;
  blocks: number[];
}

interface Effects {
  effects: ReportEffect[];
  /** Why there are none, or what to mind. */
  note: string | null;
}

/** The colour as one axis, and each varied factor that crosses it as another. */
function axesOf(plan: Plan): Axis[] {
  const { treatments } = plan;
  const colours = distinct(treatments.map(({ colourLabel }) => colourLabel));
  const crossing = plan.varied.filter((id) =>
    colours.some(
      (colour) =>
        new Set(
          treatments.filter((entry) => entry.colourLabel === colour).map((entry) => entry.levels[id] ?? null),
        ).size > 1,
    ),
  );
  const inColour = plan.varied.filter((id) => !crossing.includes(id));
  const colour: Axis = {
    label: inColour.map(factorLabel).join(' and '),
    levels: colours,
    levelOf: ({ colourLabel }) => colourLabel,
  };
  return [
    ...(colours.length > 1 ? [colour] : []),
    ...crossing.map((id) => {
      const levelOf = ({ levels }: Treatment) => levelName(id, levels[id] ?? null);
      return { label: factorLabel(id), levels: distinct(treatments.map(levelOf)), levelOf };
    }),
  ];
}

/**
 * Main effects and two-factor interactions of a crossed design. Every estimate is a difference of means inside a
 * block (of logarithms for positive quantities, so that it is a ratio), so its t interval is over blocks; a block counts where all its Treatments that the effect needs do.
 */
export function estimateEffects(context: ReportContext, metric: MetricDefinition): Effects {
  const { plan } = context;
  const axes = axesOf(plan);
  const none = (note: string) => ({ effects: [], note });
  if (axes.length === 0) return none('Nothing was varied, so there are no effects.');
  const cellsInAll = axes.reduce((product, axis) => product * axis.levels.length, 1);
  if (cellsInAll !== plan.treatments.length) {
    return none(
      `The design is no full crossing (${plan.treatments.length} of ${cellsInAll} combinations), so levels differ in more than one factor and main effects would mix them; see the contrasts.`,
    );
  }
  const bases = differingBases(context.all.flatMap((entry) => valuesIn(context, entry, metric)));
  if (bases.length > 0) {
    return none(
      `The runs hold figures of different kinds (${bases.join(', ')}); effects over them would compare what cannot be compared.`,
    );
  }
  const cells = cellsOf(context, metric);
  const raw = [
    ...axes.flatMap((axis) => mainEffects(context, cells, axis)),
    ...axes.flatMap((axis, index) =>
      axes.slice(index + 1).flatMap((other) => interactions(context, cells, [axis, other])),
    ),
  ];
  const tested = raw.filter(({ p }) => p !== null);
  const adjusted = adjustHolm(tested.map(({ p }) => p ?? 1));
  const effects = raw.map((effect) => {
    const index = tested.indexOf(effect);
    return index === -1 ? effect : { ...effect, p: adjusted[index] ?? null };
  });
  if (effects.length === 0) {
    return none(
      'No repetition has a valid run of every treatment that an effect compares, so no effect can be estimated.',
    );
  }
  return { effects, note: null };
}

function mainEffects({ plan, level: covering }: ReportContext, cells: Cells, axis: Axis): ReportEffect[] {
  const [reference = '', ...others] = axis.levels;
  return others.flatMap((level) => {
    const treated = plan.treatments.filter((entry) => axis.levelOf(entry) === level);
    const held = plan.treatments.filter((entry) => axis.levelOf(entry) === reference);
    const pairs = cells.blocks.flatMap((block) => {
      const above = meanOf(cells, block, treated);
      const below = meanOf(cells, block, held);
      return above === null || below === null ? [] : [{ above, below }];
    });
    return effectOf(pairs, covering, {
      scale: cells.scale,
      kind: 'main',
      label: `${level} against ${reference}`,
      factor: axis.label,
    });
  });
}

function interactions(
  { plan, level }: ReportContext,
  cells: Cells,
  [one, two]: readonly [Axis, Axis],
): ReportEffect[] {
  const [referenceOne = '', ...levelsOne] = one.levels;
  const [referenceTwo = '', ...levelsTwo] = two.levels;
  const at = (block: number, first: string, second: string) =>
    meanOf(
      cells,
      block,
      plan.treatments.filter((entry) => one.levelOf(entry) === first && two.levelOf(entry) === second),
    );
  return levelsOne.flatMap((first) =>
    levelsTwo.flatMap((second) => {
      const pairs = cells.blocks.flatMap((block) => {
        const corners = [
          at(block, first, second),
          at(block, referenceOne, second),
          at(block, first, referenceTwo),
          at(block, referenceOne, referenceTwo),
        ];
        if (corners.some((corner) => corner === null)) return [];
        const [a = 0, b = 0, c = 0, d = 0] = corners as number[];
        return [{ above: a - b, below: c - d }];
      });
      return effectOf(pairs, level, {
        scale: cells.scale,
        kind: 'interaction',
        label: `${first} × ${second}`,
        factor: `${one.label} × ${two.label}`,
      });
    }),
  );
}

function effectOf(
  pairs: readonly { above: number; below: number }[],
  level: number,
  name: Pick<ReportEffect, 'kind' | 'label' | 'factor' | 'scale'>,
): ReportEffect[] {
  const above = pairs.map((pair) => pair.above);
  const below = pairs.map((pair) => pair.below);
  const {
    mean: estimate,
    lo,
    hi,
  } = meanInterval(
    pairs.map((pair) => pair.above - pair.below),
    level,
  );
  if (estimate === null) return [];
  const test = pairs.length >= minRuns ? pairedTest(above, below) : null;
  const taken = (value: number) => (name.scale === 'ratio' ? Math.exp(value) : value);
  return [
    {
      ...name,
      estimate: taken(estimate),
      lo: test && lo !== null ? taken(lo) : null,
      hi: test && hi !== null ? taken(hi) : null,
      p: test?.p ?? null,
      blocks: pairs.length,
    },
  ];
}

function cellsOf(context: ReportContext, metric: MetricDefinition): Cells {
  const values = new Map<string, number>();
  const blocks = new Set<number>();
  for (const entry of context.all) {
    for (const { block, value } of valuesIn(context, entry, metric)) {
      values.set(`${block} ${entry.id}`, value);
      blocks.add(block);
    }
  }
  const isLog = isOnLogScale(metric, [...values.values()]);
  const onScale = (value: number | undefined) => (isLog && value !== undefined ? Math.log(value) : value);
  return {
    scale: isLog ? 'ratio' : 'difference',
    at: (block, key) => onScale(values.get(`${block} ${key}`)),
    blocks: [...blocks].sort((a, b) => a - b),
  };
}

/** null unless every one of the Treatments has a value in the block. */
function meanOf(cells: Cells, block: number, treatments: readonly Treatment[]): number | null {
  const values = treatments.flatMap(({ key }) => cells.at(block, key) ?? []);
  return values.length === treatments.length ? mean(values) : null;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function factorLabel(id: string): string {
  return findFactor(id)?.label ?? id;
}

function levelName(id: string, value: string | number | null): string {
  if (value === null) return 'none';
  return findFactor(id)?.shortLabel(value) ?? String(value);
}
