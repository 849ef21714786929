import type { Quantity } from '@mqttlab/charts/blocks/blocks';
import { meanOf } from '@mqttlab/charts/blocks/measured';
import { intervalText, pText } from '@mqttlab/charts/document/words';
import { makeFigureContext } from '@mqttlab/charts/drawing/treatments';
import { drawCorrelograms } from '@mqttlab/charts/kinds/correlogram';
import { drawBootstraps } from '@mqttlab/charts/kinds/histogram';
import { curveFigure } from '@mqttlab/charts/kinds/line';
import { drawEffectMap } from '@mqttlab/charts/kinds/matrix';
import { drawPareto } from '@mqttlab/charts/kinds/scatter';
import { type Cell, type Column, type DocumentTable, makeTable } from '@mqttlab/charts/table';
import { describeMeasure, numbersOf } from '@mqttlab/shared/analysis/claims/lines';
import { ratioText } from '@mqttlab/shared/analysis/phrase';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import { usualVolts } from '@mqttlab/shared/catalogue/metrics/energy';
import type { ReportStability, StabilityCurve } from '@mqttlab/shared/domain/report/report-stability';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { standardisedDifference } from '@mqttlab/shared/statistics/comparisons/effect-size';
import { mean } from '@mqttlab/shared/statistics/descriptive/summary';
import { rankPareto } from '@mqttlab/shared/statistics/estimates/pareto';
import { quartileRange } from '../claims/common.ts';
import type { StudyInput } from '../page/input.ts';
import { effectMeasures, pairs, perturbations, perturbedLine, variationLines } from './claims.ts';
import {
  type Configuration,
  type Context,
  configurationsOf,
  hybrid,
  ofStudy,
  plain,
  printed,
  tableBy,
  tls,
  withSeries,
} from './configurations.ts';
import { monthsOfTwelve, perturbedCharge } from './formulas.ts';

const publishedMs = 600_000;

/** Lists published responses and the closest responses here. */
export function responses({ report, treatments }: StudyInput): Quantity[] {
  const volts = report?.stability?.volts ?? usualVolts;
  const measureMs = treatments[0]?.treatment.spec.measureMs ?? publishedMs;
  const from = measureMs === publishedMs ? '' : `, extrapolated from ${measureMs / 1000} s`;
  // 1 mAh is 3.6 C.
  const charge = { unit: 'mAh', scale: publishedMs / measureMs / (3.6 * volts) };
  return [
    {
      head: 'Current',
      unit: 'mA',
      measure: 'power.publisher',
      published: 'mean current',
      scale: 1000 / volts,
    },
    {
      head: `Energy in 600 s${from}`,
      measure: 'energy.publisher',
      published: 'cumulative energy',
      ...charge,
    },
    { head: `Energy of the receiver in 600 s${from}`, measure: 'energy.subscriber', ...charge },
    { head: 'Latency', unit: 'ms', measure: 'latency.mean', published: 'mean latency' },
    { head: 'Interquartile range of latency', unit: 'ms', measure: quartileRange },
    { head: 'Memory', unit: 'KB', measure: 'memory.publisher.mean', published: 'RAM', scale: 1000 },
  ];
}

/** Lists the protection by TLS and by the payload cipher, for each configuration. */
export function protections(input: StudyInput): DocumentTable {
  const keys = Object.keys(protectionLabels) as (keyof typeof protectionLabels)[];
  const known = configurationsOf(input).map(({ name, one }) => ({
    name,
    ...protectionsOf(one.treatment.spec),
  }));
  return makeTable(known, [
    { head: 'Configuration', of: ({ name }) => name },
    ...keys.map((key) => ({
      head: protectionLabels[key],
      of: ({ hop, endToEnd }: (typeof known)[number]) =>
        `${hop[key].level} / ${endToEnd?.[key].level ?? 'no'}`,
    })),
  ]);
}

export function samplingText(input: StudyInput): string {
  const stability = input.report?.stability;
  if (!stability) return '';
  const { stepMs, averaged, segmentMs, volts } = stability;
  const how =
    averaged > 1
      ? `${averaged} samples per second averaged to one, as published`
      : `samples every ${stepMs} ms, because the run is too short for one value per second (published: 600)`;
  return `Statistics of the series use ${how}, from the measure phase. Curves begin when the connection starts. Segments last ${formatNumber(segmentMs / 1000)} s. Current is power divided by ${formatNumber(volts)} V.`;
}

type Summary = ReportStability['variables'][number]['summaries'][number];

/** Returns rows for every variable and configuration. */
function summaries(context: Context): (Summary & { label: string; unit: string })[] {
  return context.stability.variables.flatMap(({ label, unit, summaries: own }) =>
    ofStudy(context, own).map((summary) => ({ ...summary, label, unit })),
  );
}

const variable = {
  head: 'Variable',
  of: ({ label, unit }: { label: string; unit: string }) => `${label}, ${unit}`,
};

export const locations = withSeries((context) => {
  const column = (head: string, name: 'mean' | 'sd' | 'median' | 'mode' | 'p25' | 'p75') => ({
    head,
    format: (value: number) => formatNumber(value, 4),
    of: (one: Summary) => one[name],
  });
  return tableBy(context, summaries(context), [
    variable,
    { head: 'Samples', of: ({ samples }) => samples },
    column('Mean', 'mean'),
    column('SD', 'sd'),
    column('Median', 'median'),
    column('Mode', 'mode'),
    column('P25', 'p25'),
    column('P75', 'p75'),
    { head: 'Above mean + 3 SD', unit: '%', format: formatNumber, of: ({ peaks }) => peaks ?? null },
  ]);
});

export const memory = withSeries((context) =>
  tableBy(
    context,
    summaries(context).flatMap(({ memory: own, ...summary }) => (own ? [{ ...summary, ...own }] : [])),
    [
      variable,
      { head: 'Samples', of: ({ n }) => n },
      { head: 'r at lag 1', format: formatNumber, of: ({ acf }) => acf[1] ?? null },
      { head: 'First lag in the band', of: ({ firstInside }) => firstInside ?? 'none' },
      { head: 'Ljung-Box Q', format: formatNumber, of: ({ ljungBox }) => ljungBox?.statistic ?? null },
      { head: 'p', of: ({ ljungBox }) => pText(ljungBox?.p ?? null) },
      { head: 'ADF', format: formatNumber, of: ({ adf }) => adf?.statistic ?? null },
      { head: 'ADF p', of: ({ adf }) => pText(adf?.p ?? null) },
    ],
  ),
);

/** Published coefficients of variation by variable. */
const printedCv: Readonly<Record<string, string>> = {
  'Current, emitter': 'CV of current',
  'Current, receiver': 'CV of current, receiver',
  'Latency, median of each second': 'CV of latency',
};

export const variations = withSeries((context, input) => {
  const table = tableBy(context, summaries(context), [
    variable,
    {
      head: 'Published',
      unit: '%',
      of: ({ label, treatment }) => {
        const row = context.configurations.find(({ one }) => one.treatment.key === treatment);
        const metric = printedCv[label];
        return row && metric ? printed(metric, row) : null;
      },
    },
    { head: 'Of segments', unit: '%', format: formatNumber, of: ({ cvSegments }) => cvSegments },
    { head: 'Across runs', unit: '%', format: formatNumber, of: ({ cvRuns }) => cvRuns },
  ]);
  const pooled = variationLines(input).map((line): Cell[] => {
    const value = 'missing' in line ? null : line.value;
    const cells = line.label.includes('segments') ? [value, null] : [null, value];
    return ['All three in the study', line.label, null, ...cells];
  });
  return { ...table, rows: [...table.rows, ...pooled] };
});

export const differences = withSeries((context) => {
  const known = new Set(context.report.treatments.map(({ key }) => key));
  const entries = context.stability.variables.flatMap(({ label, unit, contrasts, between = [] }) =>
    [...contrasts, ...between]
      .filter(({ treatment, baseline }) => known.has(treatment) && known.has(baseline))
      .map((contrast) => ({ label, unit, ...contrast })),
  );
  const around = (value: number, lo: number | null, hi: number | null) =>
    lo === null ? NO_VALUE : intervalText({ value, lo, hi }, { signed: true });
  return makeTable(entries, [
    variable,
    { head: 'Configuration', of: ({ treatment }) => context.name(treatment) },
    { head: 'Against', of: ({ baseline }) => context.name(baseline) },
    { head: 'Block bootstrap', isFigures: true, of: ({ difference, lo, hi }) => around(difference, lo, hi) },
    {
      head: 'Over runs',
      isFigures: true,
      of: ({ difference, runLo, runHi }) => around(difference, runLo, runHi),
    },
    { head: 'Cohen’s d', format: formatNumber, of: ({ cohensD }) => cohensD },
  ]);
});

export const crossCorrelations = withSeries((context) =>
  tableBy(context, context.stability.crossCorrelation, [
    {
      head: 'r at lag 0',
      format: formatNumber,
      of: ({ lags }) => lags.find(({ lag }) => lag === 0)?.r ?? null,
    },
    { head: 'Strongest r', format: formatNumber, of: ({ strongest }) => strongest.r },
    { head: 'at lag, samples', of: ({ strongest }) => strongest.lag },
    { head: '95 % band', format: formatNumber, of: ({ band }) => band },
  ]),
);

const minuteMs = 60_000;

/** Mean current of the emitter in each minute; null for runs shorter than two minutes. */
export const minutes = withSeries((context) => {
  const curves = ofStudy(context, emitterOf(context)?.curves ?? []);
  const lastMs = Math.max(0, ...curves.flatMap(({ timesMs }) => timesMs.at(-1) ?? 0));
  const count = Math.round(lastMs / minuteMs);
  if (count < 2) return null;
  return tableBy(
    context,
    curves,
    Array.from({ length: count }, (_, minute) => ({
      head: `Minute ${minute + 1}`,
      unit: 'mA',
      format: (value: number) => formatNumber(value, 4),
      of: ({ timesMs, mean: values }: StabilityCurve) =>
        mean(
          values.filter(
            (value, index): value is number =>
              value !== null && Math.floor((timesMs[index] ?? -1) / minuteMs) === minute,
          ),
        ),
    })),
  );
});

const xLabel = 's since the start of the connection';

/** Returns the centred mean over a window, without its band; for display only. */
function smooth({ treatment, timesMs, mean: values }: StabilityCurve, windowMs: number): StabilityCurve {
  const smoothed = timesMs.map((at) =>
    mean(
      values.filter(
        (value, index): value is number =>
          value !== null && Math.abs((timesMs[index] ?? 0) - at) <= windowMs / 2,
      ),
    ),
  );
  const nothing = timesMs.map(() => null);
  return { treatment, timesMs, mean: smoothed, lo: nothing, hi: nothing };
}

function emitterOf({ stability }: Context) {
  return stability.variables.find(({ id }) => id === 'current.publisher');
}

export const currentOverTime = withSeries((context) => {
  const curves = ofStudy(context, emitterOf(context)?.curves ?? []);
  const lastMs = Math.max(0, ...curves.flatMap(({ timesMs }) => timesMs.at(-1) ?? 0));
  const windowMs = Math.min(5000, lastMs / 20);
  return curveFigure(context, {
    label: 'Current',
    unit: 'mA',
    xLabel,
    curves: curves.map((curve) => smooth(curve, windowMs)),
  });
});

export const correlograms = withSeries((context) => {
  const drawn = ofStudy(context, emitterOf(context)?.summaries ?? [])
    .flatMap(({ treatment, memory: own }) => (own ? [{ treatment, ...own }] : []))
    .slice(0, 3);
  if (drawn.length === 0) return null;
  const rows = drawn.flatMap(({ treatment, acf, pacf }) =>
    acf.map((value, lag): Cell[] => [context.name(treatment), lag, value, pacf[lag] ?? null]),
  );
  const columns = ['Configuration', 'Lag', 'ACF', 'PACF'].map((head) => ({ head }));
  return { picture: drawCorrelograms(context, drawn), table: { columns, rows } };
});

export const bootstraps = withSeries((context) => {
  const current = emitterOf(context);
  const drawn = ofStudy(context, current?.contrasts ?? []).filter(
    ({ distribution }) => distribution !== null,
  );
  if (!current || drawn.length === 0) return null;
  const { unit } = current;
  const resampled = drawn.map(({ lo, hi, runLo, runHi, ...contrast }) => ({
    ...contrast,
    unit,
    published: lo === null || hi === null ? null : { lo, hi },
    runLevel: { lo: runLo, hi: runHi },
  }));
  const rows = drawn.map(({ treatment, difference, lo, hi }): Cell[] => [
    context.name(treatment),
    difference,
    lo,
    hi,
  ]);
  const columns = [
    { head: 'Configuration' },
    ...['Difference', '95 % from', '95 % to'].map((head) => ({ head, unit, format: formatNumber })),
  ];
  return { picture: drawBootstraps(context, resampled), table: { columns, rows } };
});

const roleWords: Readonly<Record<string, string>> = { publisher: 'emitter', subscriber: 'receiver' };

export const cumulativeEnergy = withSeries((context, { palette }) => {
  const { cumulative } = context.stability;
  const keyOf = (role: string, key: string) => `${role} ${key}`;
  const treatments = cumulative.flatMap(({ role }) =>
    context.report.treatments.map((one) => ({
      ...one,
      key: keyOf(role, one.key),
      rowLabel: roleWords[role] ?? role,
    })),
  );
  const curves = cumulative.flatMap(({ role, curves: own }) =>
    ofStudy(context, own).map((curve) => ({ ...curve, treatment: keyOf(role, curve.treatment) })),
  );
  return curveFigure(makeFigureContext({ ...context.report, treatments }, palette), {
    label: 'Cumulative energy',
    unit: 'mAh',
    xLabel,
    curves,
    zero: true,
  });
});

export const relativeOverhead = withSeries((context) => {
  const ofEmitter = context.stability.cumulative.find(({ role }) => role === 'publisher');
  const curves = ofStudy(context, ofEmitter?.overhead ?? []);
  return curves.length === 0
    ? null
    : curveFigure(context, { label: 'Overhead', unit: '% over plain', xLabel, curves });
});

/** Returns Cohen's d over runs for the study's three pairs. */
function effectsOf(input: StudyInput) {
  return effectMeasures.flatMap((measure) =>
    pairs.flatMap(({ side, other }) => {
      const d = standardisedDifference(
        numbersOf(input, measure, side.isOf),
        numbersOf(input, measure, other.isOf),
      ).cohensD;
      const { label: response } = describeMeasure(measure);
      const name = `${side.word} over ${other.word}`;
      return d === null ? [] : [{ response, name, d, size: sizeWord(d) }];
    }),
  );
}

/** Classifies d by Cohen's thresholds, as used in the study. */
function sizeWord(d: number): string {
  const size = Math.abs(d);
  return size < 0.2 ? 'negligible' : size < 0.5 ? 'small' : size < 0.8 ? 'medium' : 'large';
}

export function effectMap(input: StudyInput) {
  const effects = effectsOf(input);
  if (effects.length === 0) return null;
  const table = makeTable(effects, [
    { head: 'Response', of: ({ response }) => response },
    { head: 'Pair', of: ({ name }) => name },
    { head: 'Cohen’s d', of: ({ d }) => d },
    { head: 'Size', of: ({ size }) => size },
  ]);
  return { picture: drawEffectMap(input.palette, effects), table };
}

export const handshakes = withSeries((context) => {
  const { handshake, emitterRuns, earlyMs } = context.stability;
  return tableBy(context, handshake, [
    { head: 'Set-up', unit: 'ms', format: formatNumber, of: ({ setUpMs }) => setUpMs },
    { head: 'Current in set-up', unit: 'mA', format: formatNumber, of: ({ setUpMA }) => setUpMA },
    {
      head: `In the first ${formatNumber(earlyMs / 1000)} s`,
      unit: 'mA',
      format: formatNumber,
      of: ({ treatment }) =>
        mean(emitterRuns.flatMap((run) => (run.treatment === treatment ? [run.earlyMA] : []))),
    },
    { head: 'Steady current', unit: 'mA', format: formatNumber, of: ({ steadyMA }) => steadyMA },
    { head: 'Step at', unit: 's', format: formatNumber, of: ({ change }) => change && change.atMs / 1000 },
    {
      head: 'From … to',
      unit: 'mA',
      of: ({ change }) =>
        change ? `${formatNumber(change.before)} … ${formatNumber(change.after)}` : 'none found',
    },
    { head: 'p', of: ({ change }) => pText(change?.p ?? null) },
  ]);
});

/**
 * Perturbed charge of TLS 1.2 and its ratio to the other two; if the ratio is above 1, the ranking is as
 * published.
 */
export const ranking = withSeries((context, input) => {
  const own = context.configurations.find(({ word }) => word === tls.word);
  const runs = context.stability.emitterRuns.filter(({ treatment }) => treatment === own?.one.treatment.key);
  if (runs.length === 0) return null;
  const over = (other: typeof plain): Column<(typeof perturbations)[number]> => ({
    head: `Over ${other.word}`,
    isFigures: true,
    of: (one) => {
      const line = perturbedLine(input, { other, ...one });
      return 'missing' in line ? NO_VALUE : ratioText({ value: line.value, ...line.intervalAt(0.95) });
    },
  });
  return makeTable(perturbations, [
    { head: 'Perturbed, TLS alone', of: ({ what }) => what },
    {
      head: 'Charge of TLS',
      unit: 'mAh',
      format: formatNumber,
      of: ({ change }) => mean(runs.map((run) => perturbedCharge(run, change))),
    },
    over(plain),
    over(hybrid),
  ]);
});

export const batteryLife = withSeries((context, input) => {
  const { battery, capacityMAh } = context.stability;
  const [first] = context.configurations;
  const currentOf = (row: Configuration | undefined) => meanOf(input, row?.one, 'power.publisher');
  return makeTable(context.configurations, [
    { head: `Configuration, on ${formatNumber(capacityMAh, 4)} mAh`, of: ({ name }) => name },
    { head: 'Months if plain lasts 12, published', of: (row) => printed('battery life', row) },
    {
      head: 'Months if plain lasts 12',
      format: formatNumber,
      of: (row) => {
        const [own, base] = [currentOf(row), currentOf(first)];
        return own && base ? monthsOfTwelve(own, base) : null;
      },
    },
    ...battery.map(({ duty, sleepMA, rows }): Column<Configuration> => {
      const asleep = sleepMA < 1 ? `${formatNumber(sleepMA * 1000)} µA` : `${formatNumber(sleepMA)} mA`;
      return {
        head: duty === 1 ? 'Always active' : `Active ${String(duty * 100)} %, ${asleep} asleep`,
        unit: 'days',
        format: formatNumber,
        of: ({ one }) => rows.find(({ treatment }) => treatment === one.treatment.key)?.days ?? null,
      };
    }),
  ]);
});

const axes = {
  x: { metric: 'latency.mean', label: 'Mean latency', unit: 'ms' },
  y: { metric: 'energy.publisher', label: 'Energy of the emitter', unit: 'J' },
};

export const paretoFront = withSeries((context, input) => {
  const known = context.configurations.flatMap(({ name, one }) => {
    const [x, y] = [meanOf(input, one, axes.x.metric), meanOf(input, one, axes.y.metric)];
    return x === null || y === null ? [] : [{ name, one, treatment: one.treatment.key, x, y }];
  });
  if (known.length < 2) return null;
  const { rank } = rankPareto(known.map(({ x, y }) => [x, y]));
  const points = known.map((point, index) => ({ ...point, rank: rank[index] ?? 0 }));
  const runs = known.flatMap(({ one, treatment }) => {
    const of = (metric: string) => runValues(one, { metric, flagged: input.flagged });
    const energies = new Map(of(axes.y.metric).map(({ runId, value }) => [runId, value]));
    return of(axes.x.metric).flatMap(({ runId, value: x }) => {
      const y = energies.get(runId);
      return y === undefined ? [] : [{ treatment, runId, x, y }];
    });
  });
  return {
    picture: drawPareto(context, { ...axes, points, runs, sentence: '' }),
    table: makeTable(points, [
      { head: 'Configuration', of: ({ name }) => name },
      { head: axes.x.label, unit: axes.x.unit, format: formatNumber, of: ({ x }) => x },
      { head: axes.y.label, unit: axes.y.unit, format: formatNumber, of: ({ y }) => y },
      { head: 'Front', of: ({ rank: own }) => own },
    ]),
  };
});
