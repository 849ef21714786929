import { runValues } from '@mqttlab/shared/analysis/run-values';
import { protectionsOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { protectionLabels } from '@mqttlab/shared/catalogue/ciphers/protection';
import { usualVolts } from '@mqttlab/shared/catalogue/metrics/energy';
import type { ReportStability, StabilityCurve } from '@mqttlab/shared/domain/report/report-stability';
import { meanOf, measured, measuredCell } from '@mqttlab/shared/figures/blocks/measured';
import { drawBootstraps } from '@mqttlab/shared/figures/bootstrap-figure';
import { drawCorrelograms } from '@mqttlab/shared/figures/correlogram-figure';
import { curveFigure } from '@mqttlab/shared/figures/curve-figure';
import {
  type Cell,
  type Column,
  type DocumentTable,
  makeTable,
} from '@mqttlab/shared/figures/document/blocks';
import { intervalText, pText } from '@mqttlab/shared/figures/document/words';
import { makeFigureContext } from '@mqttlab/shared/figures/drawing/treatments';
import { drawEffectBars, drawEffectMap } from '@mqttlab/shared/figures/effects-figure';
import { drawPareto } from '@mqttlab/shared/figures/pareto-figure';
import { formatNumber, formatSigned, NO_VALUE } from '@mqttlab/shared/format/number';
import { standardisedDifference } from '@mqttlab/shared/statistics/comparisons/effect-size';
import { mean } from '@mqttlab/shared/statistics/descriptive/summary';
import { rankPareto } from '@mqttlab/shared/statistics/estimates/pareto';
import type { StudyInput } from '../page/input.ts';
import {
  type Configuration,
  type Context,
  configurationsOf,
  ofStudy,
  printed,
  tableBy,
  withSeries,
} from './configurations.ts';
import { monthsOfTwelve, perturbedCharge } from './formulas.ts';

/** Printed responses and what is nearest to them here. */
const responses = [
  {
    label: 'Current, mA',
    metric: 'power.publisher',
    published: 'mean current',
    scale: (volts: number) => 1000 / volts,
  },
  {
    label: 'Energy in 600 s, mAh',
    metric: 'power.publisher',
    published: 'cumulative energy',
    scale: (volts: number) => 1000 / volts / 6,
  },
  { label: 'Latency, ms', metric: 'latency.mean', published: 'mean latency', scale: () => 1 },
  { label: 'Memory, KB', metric: 'memory.publisher.mean', published: 'RAM', scale: () => 1000 },
];

export function summaryTable(input: StudyInput): DocumentTable {
  const volts = input.report?.stability?.volts ?? usualVolts;
  const all = configurationsOf(input);
  const [plain] = all;
  const measureMs = plain?.one.treatment.spec.measureMs ?? 600_000;
  const rows = responses.flatMap((response) => all.map((row) => ({ response, row })));
  const over = (value: number | null, base: number | null) =>
    value === null || base === null || base === 0 ? NO_VALUE : formatSigned((value / base - 1) * 100, 1);
  return makeTable(rows, [
    {
      head: 'Response',
      of: ({ response: { label } }) =>
        label.includes('600 s') && measureMs !== 600_000
          ? `${label}, extrapolated from ${measureMs / 1000} s`
          : label,
    },
    { head: 'Configuration', of: ({ row }) => row.name },
    { head: 'Published', of: ({ response, row }) => printed(response.published, row) },
    {
      head: 'Measured',
      of: ({ response, row }) =>
        measuredCell(measured(input, row.one, response.metric, response.scale(volts))),
    },
    {
      head: 'Published, over plain',
      unit: '%',
      of: ({ response, row }) =>
        over(printed(response.published, row), plain ? printed(response.published, plain) : null),
    },
    {
      head: 'Measured, over plain',
      unit: '%',
      of: ({ response, row }) =>
        over(meanOf(input, row.one, response.metric), meanOf(input, plain?.one, response.metric)),
    },
  ]);
}

/** What TLS and the payload cipher of each configuration protect. */
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
      ? `${averaged} samples a second averaged to one, as published`
      : `samples every ${stepMs} ms, because the run is too short for one value a second (published: 600)`;
  return `Statistics of the series use ${how}, while measuring; curves begin with the connection. Segments last ${formatNumber(segmentMs / 1000)} s. Current is power over ${formatNumber(volts)} V.`;
}

type Summary = ReportStability['variables'][number]['summaries'][number];

/** Every variable and configuration. */
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

/** Printed coefficients of variation by variable. */
const printedCv: Readonly<Record<string, string>> = {
  'Current, emitter': 'CV of current',
  'Current, receiver': 'CV of current, receiver',
  'Latency, median of each second': 'CV of latency',
};

export const variations = withSeries((context) =>
  tableBy(context, summaries(context), [
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
  ]),
);

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

/** Mean current of the emitter in each minute; null for runs below two minutes. */
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

const xLabel = 's since the connection began';

/** Centred mean over a window, without its band: for display only. */
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

/** Cohen's d over runs of the three pairs of the study. */
function effectsOf(input: StudyInput) {
  const all = configurationsOf(input);
  const of = (name: string) => all.find(({ published }) => published === name);
  const [plain, tls, hybrid] = [of('plain'), of('TLS 1.2'), of('ECDH+AES-128-CBC')];
  const pairs = [
    { name: 'TLS over plain', mark: 2, side: tls, other: plain },
    { name: 'hybrid over plain', mark: 3, side: hybrid, other: plain },
    { name: 'TLS over hybrid', mark: 5, side: tls, other: hybrid },
  ];
  const measures = [
    { response: 'Latency, mean', metric: 'latency.mean' },
    { response: 'Cumulative energy, emitter', metric: 'energy.publisher' },
  ];
  return measures.flatMap(({ response, metric }) =>
    pairs.flatMap(({ name, mark, side, other }) => {
      if (!side || !other) return [];
      const [a, b] = [side, other].map(({ one }) =>
        runValues(one, { metric, flagged: input.flagged }).map(({ value }) => value),
      ) as [number[], number[]];
      const d = standardisedDifference(a, b).cohensD;
      return d === null ? [] : [{ response, name, mark, d, size: sizeWord(d) }];
    }),
  );
}

/** Thresholds of Cohen, as the study uses them. */
function sizeWord(d: number): string {
  const size = Math.abs(d);
  return size < 0.2 ? 'negligible' : size < 0.5 ? 'small' : size < 0.8 ? 'medium' : 'large';
}

function effectChart(draw: typeof drawEffectBars) {
  return (input: StudyInput) => {
    const effects = effectsOf(input);
    if (effects.length === 0) return null;
    const table = makeTable(effects, [
      { head: 'Response', of: ({ response }) => response },
      { head: 'Pair', of: ({ name }) => name },
      { head: 'Cohen’s d', of: ({ d }) => d },
      { head: 'Size', of: ({ size }) => size },
    ]);
    return { picture: draw(input.palette, effects), table };
  };
}
export const effectBars = effectChart(drawEffectBars);
export const effectMap = effectChart(drawEffectMap);

export const handshakes = withSeries((context) =>
  tableBy(context, context.stability.handshake, [
    { head: 'Set-up', unit: 'ms', format: formatNumber, of: ({ setUpMs }) => setUpMs },
    { head: 'Current in set-up', unit: 'mA', format: formatNumber, of: ({ setUpMA }) => setUpMA },
    { head: 'Steady current', unit: 'mA', format: formatNumber, of: ({ steadyMA }) => steadyMA },
    { head: 'Step at', unit: 's', format: formatNumber, of: ({ change }) => change && change.atMs / 1000 },
    {
      head: 'From … to',
      unit: 'mA',
      of: ({ change }) =>
        change ? `${formatNumber(change.before)} … ${formatNumber(change.after)}` : 'none found',
    },
    { head: 'p', of: ({ change }) => pText(change?.p ?? null) },
  ]),
);

const perturbations = [
  ...[0.8, 0.9, 1, 1.1, 1.2].map((factor) => ({ what: `handshake × ${factor}`, handshake: factor, load: 1 })),
  ...[0.8, 0.9, 1.1, 1.2].map((factor) => ({ what: `load × ${factor}`, handshake: 1, load: factor })),
];

/** Mean charge of the three configurations with TLS alone perturbed, and their order. */
export const ranking = withSeries((context) => {
  const study = context.configurations.filter(({ published }) => published !== null);
  const runs = study.map(({ name, published, one }) => ({
    name,
    isTls: published === 'TLS 1.2',
    runs: context.stability.emitterRuns.filter(({ treatment }) => treatment === one.treatment.key),
  }));
  if (runs.some((entry) => entry.runs.length === 0)) return null;
  return makeTable(perturbations, [
    { head: 'Perturbed, TLS alone', of: ({ what }) => what },
    {
      head: 'Charge of TLS',
      unit: 'mAh',
      format: formatNumber,
      of: (change) =>
        mean(
          runs
            .filter((entry) => entry.isTls)
            .flatMap((entry) => entry.runs.map((run) => perturbedCharge(run, change))),
        ),
    },
    {
      head: 'Order on the means, least first',
      of: (change) =>
        runs
          .map((entry) => ({
            name: entry.name,
            mAh: mean(entry.runs.map((run) => (entry.isTls ? perturbedCharge(run, change) : run.mAh))) ?? 0,
          }))
          .sort((a, b) => a.mAh - b.mAh)
          .map(({ name }) => name)
          .join(' < '),
    },
  ]);
});

export const batteryLife = withSeries((context, input) => {
  const { battery, capacityMAh } = context.stability;
  const [plain] = context.configurations;
  const currentOf = (row: Configuration | undefined) => meanOf(input, row?.one, 'power.publisher');
  const columns = battery.map(({ duty, sleepMA, rows }): Column<Configuration> => {
    const asleep = sleepMA < 1 ? `${formatNumber(sleepMA * 1000)} µA` : `${formatNumber(sleepMA)} mA`;
    return {
      head: duty === 1 ? 'Always active' : `Active ${String(duty * 100)} %, ${asleep} asleep`,
      unit: 'days',
      format: formatNumber,
      of: ({ one }) => rows.find(({ treatment }) => treatment === one.treatment.key)?.days ?? null,
    };
  });
  const table = makeTable(context.configurations, [
    { head: `Configuration, on ${formatNumber(capacityMAh, 4)} mAh`, of: ({ name }) => name },
    { head: 'Months if plain lasts 12, published', of: (row) => printed('battery life', row) },
    {
      head: 'Months if plain lasts 12',
      format: formatNumber,
      of: (row) => {
        const [own, base] = [currentOf(row), currentOf(plain)];
        return own && base ? monthsOfTwelve(own, base) : null;
      },
    },
    ...columns,
  ]);
  return table;
});

const axes = { latency: 'latency.mean', energy: 'energy.publisher' } as const;

export function paretoFront(input: StudyInput) {
  const { report, palette } = input;
  const known = configurationsOf(input).flatMap(({ name, one }) => {
    const [x, y] = [meanOf(input, one, axes.latency), meanOf(input, one, axes.energy)];
    return x === null || y === null ? [] : [{ name, one, x, y }];
  });
  if (!report || known.length < 2) return null;
  const { rank } = rankPareto(known.map(({ x, y }) => [x, y]));
  const points = known.map((one, index) => ({ ...one, rank: rank[index] ?? 0 }));
  const treatments = known.flatMap(({ name, one: { treatment } }) => {
    const found = report.treatments.find(({ key }) => key === treatment.key);
    return found
      ? [{ ...found, mark: treatment.mark, label: name, shortLabel: name, colourLabel: name, rowLabel: '' }]
      : [];
  });
  const runs = known.flatMap(({ one }) => {
    const energies = new Map(
      runValues(one, { metric: axes.energy, flagged: input.flagged }).map(({ runId, value }) => [
        runId,
        value,
      ]),
    );
    return runValues(one, { metric: axes.latency, flagged: input.flagged }).flatMap(({ runId, value: x }) => {
      const y = energies.get(runId);
      return y === undefined ? [] : [{ treatment: one.treatment.key, runId, x, y }];
    });
  });
  return {
    picture: drawPareto(makeFigureContext({ ...report, treatments }, palette), {
      x: { metric: axes.latency, label: 'Mean latency', unit: 'ms' },
      y: { metric: axes.energy, label: 'Energy of the emitter', unit: 'J' },
      points: points.map(({ one, x, y, rank: own }) => ({ treatment: one.treatment.key, x, y, rank: own })),
      runs,
      sentence: '',
    }),
    table: makeTable(points, [
      { head: 'Configuration', of: ({ name }) => name },
      { head: 'Mean latency', unit: 'ms', format: formatNumber, of: ({ x }) => x },
      { head: 'Energy, emitter', unit: 'J', format: formatNumber, of: ({ y }) => y },
      { head: 'Front', of: ({ rank: own }) => own },
    ]),
  };
}
