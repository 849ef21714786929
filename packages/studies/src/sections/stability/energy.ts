import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ReportPareto } from '@mqttlab/shared/domain/report/report';
import type {
  ReportStability,
  StabilitySensitivity,
  StabilityVariable,
} from '@mqttlab/shared/domain/report/report-stability';
import { curveFigure } from '@mqttlab/shared/figures/curve-figure';
import type { DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { pText } from '@mqttlab/shared/figures/document/words';
import { linearAxis } from '@mqttlab/shared/figures/drawing/axis';
import { makeFigureContext } from '@mqttlab/shared/figures/drawing/treatments';
import { drawEffectBars, drawEffectMap } from '@mqttlab/shared/figures/effects-figure';
import { drawLines } from '@mqttlab/shared/figures/lines-figure';
import { drawPareto } from '@mqttlab/shared/figures/pareto-figure';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { rankPareto } from '@mqttlab/shared/statistics/estimates/pareto';
import { meanOf } from '../measured.ts';
import type { StudyInput } from '../study-input.ts';
import {
  type Configuration,
  ofStudy,
  printedOf,
  type StabilityContext,
  stabilityTable,
} from './configurations.ts';
import { addRanking } from './repeatability.ts';
import { bandWords, sizeWord } from './series.ts';

/** Energy over time, its parts, what it depends on, and how long a battery lasts. */
export function addEnergyFigures(
  builder: DocumentBuilder,
  context: StabilityContext,
  { told: stability, energy }: { told: ReportStability; energy: readonly EnergyEffect[] },
): void {
  addCumulative(builder, context, stability);
  addEffects(builder, context, { variables: stability.variables, energy });
  builder.heading('Handshake and steady state');
  builder.table(
    'Set-up of the connection against steady load, at the emitter',
    splitTable(context, stability),
  );
  // A handshake shorter than a sample leaves no step of its own.
  const isShort = stability.handshake.every(({ setUpMs }) => setUpMs < stability.stepMs);
  builder.note(
    `The step is where the mean of the first run’s current changes most (CUSUM test, p below 0.05, corrected for the length of the series).${isShort ? ' Every set-up is shorter than a sample, so that a step, where there is one, comes from the load or from the machine rather than from the handshake.' : ''}`,
  );
  addSensitivity(builder, context, stability.sensitivity);
  addRanking(builder, context, stability);
  builder.heading('Battery projection');
  const { battery, capacityMAh } = stability;
  const active = battery.filter(({ duty }) => duty === 1);
  const asleep = Map.groupBy(
    battery.filter(({ duty }) => duty < 1),
    ({ sleepMA }) => sleepMA,
  );
  for (const [sleepMA, own] of asleep) {
    builder.table(batteryCaption(sleepMA, capacityMAh), batteryTable(context, [...active, ...own]));
  }
  for (const sentence of stability.missing) builder.note(`Gap: ${sentence}`);
}

const roleWords: Readonly<Record<string, string>> = { publisher: 'emitter', subscriber: 'receiver' };

/** A panel for each role on one scale. */
function addCumulative(
  builder: DocumentBuilder,
  context: StabilityContext,
  { cumulative, volts, variables: [emitter] }: ReportStability,
): void {
  const keyOf = (role: string, key: string) => `${role} ${key}`;
  const treatments = cumulative.flatMap(({ role }) =>
    context.report.treatments.map((one) => {
      return { ...one, key: keyOf(role, one.key), rowLabel: roleWords[role] ?? role };
    }),
  );
  const curves = cumulative.flatMap(({ role, curves: own }) =>
    ofStudy(context, own).map((curve) => ({ ...curve, treatment: keyOf(role, curve.treatment) })),
  );
  builder.figure(
    'Cumulative energy',
    `Charge since measuring began, at ${formatNumber(volts)} V; ${emitter ? bandWords(emitter) : 'mean'}.`,
    curveFigure(makeFigureContext({ ...context.report, treatments }, context.palette), {
      label: 'Cumulative energy',
      unit: 'mAh',
      xLabel: 's since measuring began',
      curves,
      zero: true,
    }),
  );
}

interface EnergyEffect {
  name: string;
  mark: number;
  d: number | null;
}

function addEffects(
  builder: DocumentBuilder,
  context: StabilityContext,
  { variables: all, energy }: { variables: readonly StabilityVariable[]; energy: readonly EnergyEffect[] },
): void {
  const variables = all.filter(({ contrasts }) => contrasts.some(({ cohensD }) => cohensD !== null));
  if (variables.length === 0) return;
  const ofSamples = variables.flatMap(({ label, contrasts }) =>
    ofStudy(context, contrasts).map(({ treatment, cohensD }) => ({
      response: label,
      name: context.name(treatment),
      mark: context.find(treatment).mark,
      d: cohensD,
      size: sizeWord(cohensD),
    })),
  );
  const ofRuns = energy.map((one) => ({
    response: 'Cumulative energy, emitter',
    ...one,
    size: sizeWord(one.d),
  }));
  const effects = [...ofSamples, ...ofRuns];
  const table = makeTable(effects, [
    { head: 'Response', of: ({ response }) => response },
    { head: 'Configuration', of: ({ name }) => name },
    { head: 'Cohen’s d', of: ({ d }) => d },
  ]);
  builder.figure(
    'Effect sizes against plain',
    'Cohen’s d over all samples, of the cumulative energy over runs; dashed: what is called small (0.2), medium (0.5) and large (0.8).',
    { picture: drawEffectBars(context.palette, effects), table },
  );
  builder.figure(
    'Map of effect sizes',
    'Orange is more than plain, blue is less; each threshold makes the colour stronger.',
    { picture: drawEffectMap(context.palette, effects), table },
  );
}

function splitTable(context: StabilityContext, { handshake }: ReportStability): DocumentTable {
  return stabilityTable(context, handshake, [
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
  ]);
}

const sensitivities = [
  {
    pick: (one: StabilitySensitivity) => one.byHandshake,
    title: 'Sensitivity of the energy to the duration of the handshake',
    x: 'duration of the handshake, times what it was',
  },
  {
    pick: (one: StabilitySensitivity) => one.byLoad,
    title: 'Sensitivity of the energy to the steady load',
    x: 'steady load, times what it was',
  },
];

function addSensitivity(
  builder: DocumentBuilder,
  context: StabilityContext,
  all: readonly StabilitySensitivity[],
): void {
  const own = ofStudy(context, all);
  if (own.length === 0) return;
  for (const { pick, title, x } of sensitivities) {
    const points = own.flatMap((one) => pick(one).map((point) => ({ treatment: one.treatment, ...point })));
    builder.figure(
      title,
      'Charge of a whole run, (I_hs · h · f + l · I_ss · (T − h · f)) / 3600, against what it was; lines that lie on each other are one.',
      {
        picture: drawLines(context, {
          label: title,
          xLabel: x,
          yLabel: '% of the energy',
          zero: true,
          heightPx: 120,
          x: linearAxis([0.8, 1.2], { steps: 4 }),
          series: own.map((one) => ({
            treatment: one.treatment,
            points: pick(one).map(({ factor, percent }) => ({ x: factor, y: percent })),
          })),
        }),
        table: stabilityTable(context, points, [
          { head: 'Times', of: ({ factor }) => factor },
          { head: 'Change', unit: '%', of: ({ percent }) => Number(percent.toPrecision(4)) },
        ]),
      },
    );
  }
}

function batteryCaption(sleepMA: number, capacityMAh: number): string {
  const asleep =
    sleepMA < 1
      ? `${formatNumber(sleepMA * 1000)} µA asleep (deep sleep of the published board, by its data sheet)`
      : `${formatNumber(sleepMA)} mA between (the idle current measured here: this device does not sleep)`;
  return `Life on ${formatNumber(capacityMAh, 4)} mAh by duty cycle, I_avg = D · I_active + (1 − D) · I_sleep, with ${asleep}; in months where plain lasts 12, and in days`;
}

function batteryTable(context: StabilityContext, lives: ReportStability['battery']): DocumentTable {
  const text = (value: number | null | undefined) => (value == null ? NO_VALUE : formatNumber(value));
  const treatments = context.report.treatments.map(({ key }) => ({ treatment: key }));
  return stabilityTable(context, treatments, [
    {
      head: 'Published',
      unit: 'months',
      of: ({ treatment }) => printedOf(context, 'battery life', treatment),
    },
    ...lives.flatMap(({ duty, rows }) => {
      const head = `D ${String(duty * 100)} %`;
      const rowOf = (key: string) => rows.find(({ treatment }) => treatment === key);
      type Row = { treatment: string };
      return [
        { head, unit: 'months', of: ({ treatment }: Row) => text(rowOf(treatment)?.monthsOfTwelve) },
        { head, unit: 'days', of: ({ treatment }: Row) => text(rowOf(treatment)?.days) },
      ];
    }),
  ]);
}

const axes = { latency: 'latency.mean', energy: 'energy.publisher' } as const;

/** Who is beaten by nobody in both, mean latency and cumulative energy, as printed and here. */
export function addPareto(builder: DocumentBuilder, context: StabilityContext, input: StudyInput): void {
  const { configurations } = context;
  const found = ranked(configurations, ({ one }, metric) => meanOf(input, one, axes[metric]));
  if (found.length < 2) {
    builder.note('Gap: no Pareto front: latency and energy were not both measured on two configurations.');
    return;
  }
  const pareto: ReportPareto = {
    x: { metric: axes.latency, label: 'Mean latency', unit: 'ms' },
    y: { metric: axes.energy, label: 'Energy of the emitter', unit: 'J' },
    points: found.flatMap(({ row: { one }, ...point }) =>
      one ? [{ treatment: one.treatment.key, ...point }] : [],
    ),
    runs: found.flatMap(({ row }) => runsOf(input, row)),
    sentence: '',
  };
  builder.figure(
    'Pareto front of mean latency and cumulative energy',
    'Pale: runs, strong: their means; the stair runs through the configurations that no other beats in both.',
    {
      picture: drawPareto(context, pareto),
      table: makeTable(found, [
        { head: 'Configuration', of: ({ row }) => row.name },
        { head: 'Mean latency', unit: 'ms', format: formatNumber, of: ({ x }) => x },
        { head: 'Energy, emitter', unit: 'J', format: formatNumber, of: ({ y }) => y },
        { head: 'Front here', of: ({ rank }) => rank },
      ]),
    },
  );
  const front = found.flatMap(({ row, rank }) => (rank === 1 ? [row.name] : [])).join(', ');
  builder.paragraph(
    `On the means, nobody beats ${front} in both here. As printed it is plain, then the hybrid, then TLS; but the latency of plain is a broker round trip there and the others are one way, so that its rank is not comparable. Of the two that are, the hybrid is printed with less of both. Runs that overlap in the figure can move a configuration on or off the front.`,
  );
}

/** Those of which both are known. */
function ranked(
  rows: readonly Configuration[],
  meanIn: (row: Configuration, metric: keyof typeof axes) => number | null,
) {
  const known = rows.flatMap((row) => {
    const [x, y] = [meanIn(row, 'latency'), meanIn(row, 'energy')];
    return x === null || y === null ? [] : [{ row, x, y }];
  });
  const { rank } = rankPareto(known.map(({ x, y }) => [x, y]));
  return known.map((one, index) => ({ ...one, rank: rank[index] ?? 0 }));
}

/** A run is left out if it is flagged for one of the two responses, not for any other reason. */
function runsOf({ flagged }: StudyInput, { one }: Configuration): ReportPareto['runs'] {
  if (!one) return [];
  const [latencies, energies] = [axes.latency, axes.energy].map((metric) =>
    runValues(one, { metric, flagged }),
  );
  const energyOf = new Map(energies?.map(({ runId, value }) => [runId, value]));
  return (latencies ?? []).flatMap(({ runId, value: x }) => {
    const y = energyOf.get(runId);
    return y === undefined ? [] : [{ treatment: one.treatment.key, runId, x, y }];
  });
}
