import { findFactor } from '../../catalogue/factors.ts';
import { isFlaggedFor } from '../../catalogue/flags.ts';
import type { Plan, Treatment } from '../../domain/plans/plan.ts';
import type {
  ReportContrast,
  ReportEffect,
  ReportEstimate,
  ReportFinding,
  ReportResponse,
} from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { countingAttempts } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { formatInterval } from '../../format/interval.ts';
import { formatNumber } from '../../format/number.ts';
import { formatSignedP } from '../../format/quantity.ts';
import {
  cliffsDelta,
  cohensDz,
  hedgesInterval,
  standardisedDifference,
} from '../../statistics/comparisons/effect-size.ts';
import { friedman, kruskalWallis } from '../../statistics/comparisons/k-sample.ts';
import { mannWhitney } from '../../statistics/comparisons/mann-whitney.ts';
import {
  adjustBenjaminiHochberg,
  adjustBonferroni,
  adjustHolm,
} from '../../statistics/comparisons/multiple-testing.ts';
import { pairedTest, studentTest } from '../../statistics/comparisons/t-test.ts';
import { wilcoxonSignedRank } from '../../statistics/comparisons/wilcoxon.ts';
import { coefficientOfVariation, mean, standardDeviation } from '../../statistics/descriptive/summary.ts';
import { meanInterval } from '../../statistics/estimates/interval.ts';
import { alpha, type Contrast, contrastTreatments, type TreatmentEstimate } from '../contrasts.ts';
import { type Estimate, isOnLogScale, minRuns } from '../estimate.ts';
import { reasonOf } from '../findings.ts';
import { nounOf, phraseOf, titleOf } from '../phrase.ts';
import { resultOf } from '../result.ts';
import { differingBases } from '../run-values.ts';
import { type ReportContext, valuesIn } from './report-input.ts';

/** Reports one metric over the entire design: means, contrasts, effects and findings. */
export function reportResponse(
  context: ReportContext,
  metric: MetricDefinition,
  { isLead }: { isLead: boolean },
): ReportResponse {
  const { all: treatments, baselineId } = context;
  const flagged = context.input.takesFlagged;
  const { estimates: found, contrasts, findings } = resultOf({ treatments, baselineId, metric, flagged });
  const estimates = found.map((estimate) => describe(estimate, context, metric));
  const { effects, note } = estimateEffects(context, metric);
  const widths = found.flatMap(({ estimate }) => estimate.relHalfWidth ?? []);
  return {
    metric: metric.id,
    label: metric.label,
    unit: metric.unit,
    better: metric.better,
    estimates,
    contrasts: contrasts.map((one) => contrastRow(one, context.level)),
    otherMethods: isLead ? compareMethods(contrasts, found) : null,
    between: isLead ? pairsOf(context, metric, contrasts) : [],
    effects,
    effectsNote: note,
    precision: {
      best: widths.length > 0 ? Math.min(...widths) : null,
      worst: widths.length > 0 ? Math.max(...widths) : null,
    },
    findings: [
      ...(context.plan.treatments.length === 1 ? found.flatMap((own) => aloneFinding(metric, own)) : []),
      ...findings.map(({ kind, text }) => ({ kind, text })),
      ...interactionFinding(metric, effects),
    ],
  };
}

/** Returns every other pair in the same row once; these pairs are a separate family for Holm's method. */
function pairsOf(
  { all: treatments, input, level }: ReportContext,
  metric: MetricDefinition,
  reported: readonly Contrast[],
): ReportContrast[] {
  const keyOf = (one: ComparedTreatment, other: ComparedTreatment) => [one.id, other.id].sort().join('\n');
  const known = new Set(reported.map(({ treatment, baseline }) => keyOf(treatment, baseline)));
  const rows = Map.groupBy(treatments, ({ treatment }) => treatment.rowLabel);
  const pairs = [...rows.values()].flatMap((row) =>
    row.flatMap((baseline, index) =>
      row
        .slice(index + 1)
        .flatMap((treatment) =>
          known.has(keyOf(treatment, baseline)) ? [] : [[treatment, baseline] as const],
        ),
    ),
  );
  const question = { treatments, baselineId: '', metric, flagged: input.takesFlagged, pairs };
  return contrastTreatments(question).map((one) => contrastRow(one, level));
}

function describe(
  { treatment, values, estimate }: TreatmentEstimate,
  context: ReportContext,
  metric: MetricDefinition,
): ReportEstimate {
  const { n, value, lo, hi } = estimate;
  const bases = differingBases(values);
  const numbers = n === 0 ? [] : values.map((entry) => entry.value);
  return {
    treatment: treatment.id,
    n,
    mean: value,
    sd: standardDeviation(numbers),
    lo,
    hi,
    cv: coefficientOfVariation(numbers),
    // Computed on access, because the values of all metrics and runs need much more memory than their
    // columns.
    get values() {
      return valuesIn(context, treatment, metric).map((one) => ({
        runId: one.runId,
        block: one.block,
        value: one.value,
      }));
    },
    note:
      bases.length > 0
        ? `values with different bases (${bases.join(', ')}) have no mean`
        : noteOf(estimate, reasonForNone(treatment, context, metric)),
  };
}

function noteOf({ n, isConstant }: Estimate, none: string): string | null {
  if (n === 0) return none;
  if (n === 1) return 'one valid run: a value, but no interval';
  if (isConstant) return 'the same in every run, so there is no interval';
  return n < minRuns ? 'n = 2: too few runs for an interval' : null;
}

/** Returns why a treatment has no value. */
function reasonForNone(
  { id, runs }: ComparedTreatment,
  { input }: ReportContext,
  metric: MetricDefinition,
): string {
  if (runs.some((run) => input.takesFlagged || !isFlaggedFor(run, metric))) {
    return 'no valid run has this metric';
  }
  const own = countingAttempts(input.runs).filter((run) => run.treatmentKey === id && run.status === 'done');
  if (own.length === 0) return 'no run finished';
  if (own.length > runs.length) return 'every finished run is flagged or excluded';
  return own.length === 1 ? 'its only run is flagged' : `all ${own.length} finished runs are flagged`;
}

/** Makes the report's row for a contrast, with effect sizes. */
function contrastRow(contrast: Contrast, level: number): ReportContrast {
  const { treatment: a, baseline: b } = contrast.values;
  const { scale, value, lo, hi, inUnits, outcome, hedgesG, p, method, runs, unpaired } = contrast;
  const isKnown = value !== null && Math.min(a.length, b.length) > 1;
  const g = hedgesG === null ? null : hedgesInterval(a, b, level);
  return {
    treatment: contrast.treatment.id,
    baseline: contrast.baseline.id,
    scale,
    value,
    lo,
    hi,
    inUnits,
    outcome,
    cohensD: isKnown ? standardisedDifference(a, b).cohensD : null,
    hedgesG,
    gLo: g?.lo ?? null,
    gHi: g?.hi ?? null,
    cliffsDelta: isKnown ? cliffsDelta(a, b) : null,
    p,
    method,
    runs,
    note: reasonOf(contrast) || describeUnpaired(unpaired, runs),
  };
}

function describeUnpaired(unpaired: number, runs: number): string | null {
  if (unpaired === 0) return null;
  const pairs = `paired by the ${runs} repetitions that both treatments have`;
  return `${pairs}, ${unpaired} ${unpaired === 1 ? 'run' : 'runs'} without a partner`;
}

/** Returns the finding for a plan without comparisons. */
function aloneFinding(metric: MetricDefinition, { estimate }: TreatmentEstimate): ReportFinding[] {
  const { n, value, lo, hi, isConstant } = estimate;
  if (value === null) return [];
  const { text } = formatInterval({ value, lo: lo ?? undefined, hi: hi ?? undefined }, { unit: metric.unit });
  const runs = n === 1 ? 'one run' : `${n} runs`;
  const without = isConstant ? ', the same in every run' : lo === null ? ', without an interval' : '';
  return [
    {
      kind: 'open',
      text: `${titleOf(metric)}: ${text} over ${runs}${without}. Nothing was varied, so nothing is compared.`,
    },
  ];
}

/** Findings about interactions. */
function interactionFinding(metric: MetricDefinition, effects: readonly ReportEffect[]): ReportFinding[] {
  const judged = effects.filter(({ kind, lo, hi }) => kind === 'interaction' && lo !== null && hi !== null);
  if (judged.length === 0) return [];
  const found = judged.filter(isResolved);
  if (found.length === 0) {
    return [
      {
        kind: 'open',
        text: `No clear interaction in ${nounOf(metric)}: the data neither show nor rule out that effects are the same at every level.`,
      },
    ];
  }
  const compared = found.map(({ scale, estimate, lo, hi }) => ({ scale, value: estimate, lo, hi }));
  const { signed } = phraseOf(metric, compared);
  const said = compared.map((one, index) => `${found[index]?.label} ${signed(one)}`);
  return [
    {
      kind: 'resolved',
      text: `Effects on ${nounOf(metric)} depend on each other; in addition to the main effects: ${said.join('; ')}.`,
    },
  ];
}

/** True if the interval excludes equality and the Holm-adjusted p-value is below the limit. */
function isResolved({ scale, lo, hi, p }: ReportEffect): boolean {
  const equal = scale === 'ratio' ? 1 : 0;
  return lo !== null && hi !== null && (lo > equal || hi < equal) && p !== null && p < alpha;
}

interface Axis {
  label: string;
  /** Levels in the order of the plan; the others are compared with the first. */
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
  /** Reason why there are no effects, or a caution. */
  note: string | null;
}

/** Axes of the design: the colour, and each varied factor that crosses it. */
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
 * Calculates main effects and two-factor interactions of a crossed design. Every estimate is a difference of
 * means within a block, and its t interval is over blocks. For positive quantities, the difference is between
 * logarithms, so that it is a ratio. A block counts if it has a value for every treatment that the effect
 * needs.
 */
function estimateEffects(context: ReportContext, metric: MetricDefinition): Effects {
  const { plan } = context;
  const axes = axesOf(plan);
  const none = (note: string) => ({ effects: [], note });
  if (axes.length === 0) return none('Nothing was varied, so there are no effects.');
  const cellsInAll = axes.reduce((product, axis) => product * axis.levels.length, 1);
  if (cellsInAll !== plan.treatments.length) {
    return none(
      `The design is not fully crossed (${plan.treatments.length} of ${cellsInAll} combinations), so levels differ in more than one factor and main effects would be confounded; see the contrasts.`,
    );
  }
  const bases = differingBases(context.all.flatMap((entry) => valuesIn(context, entry, metric)));
  if (bases.length > 0) {
    return none(
      `The runs have values with different bases (${bases.join(', ')}), which cannot be compared, so there are no effects.`,
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

/** Returns null unless every treatment has a value in the block. */
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

type OtherMethods = NonNullable<ReportResponse['otherMethods']>;

/**
 * Repeats the contrasts of a response with methods that make fewer or different assumptions, to show whether
 * a finding depends on the method. The results are not used for conclusions. Returns null if no contrast has
 * a p-value.
 */
function compareMethods(
  contrasts: readonly Contrast[],
  estimates: readonly TreatmentEstimate[],
): OtherMethods | null {
  const tested = contrasts.filter(({ pAlone }) => pAlone !== null);
  if (tested.length === 0) return null;
  const alone = tested.map(({ pAlone }) => pAlone ?? 1);
  const [bonferroni, discovery] = [adjustBonferroni(alone), adjustBenjaminiHochberg(alone)];
  return {
    rows: tested.map((contrast, index) => ({
      treatment: contrast.treatment.id,
      baseline: contrast.baseline.id,
      holm: contrast.p,
      bonferroni: bonferroni[index] ?? null,
      falseDiscovery: discovery[index] ?? null,
      ...onPlainScale(contrast),
      ...byRanks(contrast),
    })),
    allTogether: allTogether(estimates),
  };
}

/** Tests a contrast without logarithms and with a common variance, as in many papers. */
function onPlainScale({ method, values: { treatment, baseline } }: Contrast) {
  const isPaired = method === 'paired by repetition';
  const test = isPaired ? pairedTest(treatment, baseline) : studentTest(treatment, baseline);
  return { student: test?.p ?? null, dz: isPaired && test ? cohensDz(treatment, baseline) : null };
}

/**
 * Tests a contrast by ranks: exact if there are no ties. `leastP` is the smallest p-value possible with this
 * number of runs.
 */
function byRanks({ method, values: { treatment, baseline } }: Contrast) {
  if (method === 'paired by repetition') {
    const test = wilcoxonSignedRank(treatment, baseline);
    return { ranks: test?.pExact ?? test?.p ?? null, leastP: Math.min(1, 2 ** (1 - treatment.length)) };
  }
  const test = mannWhitney(treatment, baseline);
  const arrangements = binomial(treatment.length + baseline.length, baseline.length);
  return { ranks: test?.pExact ?? test?.p ?? null, leastP: Math.min(1, 2 / arrangements) };
}

function binomial(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i += 1) ways = (ways * (n - k + i)) / i;
  return Math.round(ways);
}

/**
 * Tests whether any treatments differ: by repetition if every treatment has all repetitions, otherwise as
 * independent groups.
 */
function allTogether(estimates: readonly TreatmentEstimate[]): string | null {
  const groups = estimates.map(({ values }) => values).filter((values) => values.length > 0);
  if (groups.length < 3) return null;
  const blocksOf = (values: (typeof groups)[number]) => values.map(({ block }) => block).join();
  const isComplete = groups.every((values) => blocksOf(values) === blocksOf(groups[0] ?? []));
  const numbers = groups.map((values) => values.map(({ value }) => value));
  const byBlock = isComplete ? friedman(numbers) : null;
  const words = `all ${groups.length} treatments equal`;
  if (byBlock) {
    return `Friedman, ${words}: χ² ${formatNumber(byBlock.chi2)} with ${byBlock.df} degrees of freedom, p ${formatSignedP(byBlock.p)}.`;
  }
  const independent = kruskalWallis(numbers);
  return independent === null
    ? null
    : `Kruskal-Wallis, ${words}: H ${formatNumber(independent.h)} with ${independent.df} degrees of freedom, p ${formatSignedP(independent.p)}.`;
}
