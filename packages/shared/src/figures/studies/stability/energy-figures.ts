import type { ReportStability, StabilitySensitivity } from '../../../domain/report/report-stability.ts';
import { formatNumber, NO_VALUE } from '../../../format/number.ts';
import { formatP } from '../../../format/quantity.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { linearAxis } from '../../drawing/axis.ts';
import type { FigureContext } from '../../drawing/treatments.ts';
import { drawLines } from '../../lines-figure.ts';
import { type Configuration, ofStudy, printed } from './configurations.ts';
import { drawCumulative } from './draw-cumulative.ts';
import { drawEffectBars, drawEffectMap } from './draw-effects.ts';
import { bandWords, curveTable } from './series-figures.ts';

/** Energy over time, its parts, what it depends on, and how long a battery lasts. */
export function addEnergyFigures(
  builder: DocumentBuilder,
  context: FigureContext,
  { stability, rows }: { stability: ReportStability; rows: readonly Configuration[] },
): void {
  const emitter = stability.variables[0];
  const curves = stability.cumulative.flatMap((one) => ofStudy(context, one.curves));
  builder.figure(
    'Cumulative energy',
    `Charge since measuring began, at ${formatNumber(stability.volts)} V; emitter’s ${emitter ? bandWords(emitter) : 'mean'}.`,
    {
      picture: drawCumulative(context, stability.cumulative),
      table: curveTable(context, { label: 'Cumulative energy', unit: 'mAh', curves }),
    },
  );
  const variables = stability.variables.filter(({ contrasts }) =>
    contrasts.some(({ cohensD }) => cohensD !== null),
  );
  if (variables.length > 0) {
    const table = effectTable(context, variables);
    builder.figure(
      'Effect sizes against plain',
      'Cohen’s d over all samples; dashed: what is called small (0.2), medium (0.5) and large (0.8).',
      { picture: drawEffectBars(context, variables), table },
    );
    builder.figure(
      'Map of effect sizes',
      'Orange is more than plain, blue is less; each threshold makes the colour stronger.',
      { picture: drawEffectMap(context, variables), table },
    );
  }
  builder.heading('Handshake and steady state');
  builder.table(
    'Set-up of the connection against steady load, at the emitter',
    splitTable(context, stability),
  );
  builder.note(
    `The step is where the mean of the first run’s current changes most (CUSUM test, p below 0.05).${shortest(stability)}`,
  );
  addSensitivity(builder, context, stability.sensitivity);
  builder.heading('Battery projection');
  for (const one of groupBySleep(stability)) {
    builder.table(batteryCaption(one.sleepMA, stability.capacityMAh), batteryTable(context, one, rows));
  }
  for (const sentence of stability.missing) builder.note(`Gap: ${sentence}`);
}

/** A handshake shorter than a sample leaves no step of its own. */
function shortest({ handshake, stepMs }: ReportStability): string {
  return handshake.every(({ setUpMs }) => setUpMs < stepMs)
    ? ' Every set-up is shorter than a sample, so that a step, where there is one, comes from the load or from the machine rather than from the handshake.'
    : '';
}

function effectTable(context: FigureContext, variables: ReportStability['variables']) {
  return {
    columns: [{ head: 'Response' }, { head: 'Configuration' }, { head: 'Cohen’s d' }],
    rows: variables.flatMap(({ label, contrasts }) =>
      ofStudy(context, contrasts).map(({ treatment, cohensD }) => [label, context.name(treatment), cohensD]),
    ),
  };
}

function splitTable(context: FigureContext, { handshake }: ReportStability) {
  const three = (value: number) => formatNumber(value);
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Set-up', unit: 'ms', format: three },
      { head: 'Current in set-up', unit: 'mA', format: three },
      { head: 'Steady current', unit: 'mA', format: three },
      { head: 'Step at', unit: 's', format: three },
      { head: 'From … to', unit: 'mA' },
      { head: 'p' },
    ],
    rows: ofStudy(context, handshake).map(({ treatment, setUpMs, setUpMA, steadyMA, change }) => [
      context.name(treatment),
      setUpMs,
      setUpMA,
      steadyMA,
      change ? change.atMs / 1000 : null,
      change ? `${formatNumber(change.before)} … ${formatNumber(change.after)}` : 'none found',
      change ? formatP(change.p) : NO_VALUE,
    ]),
  };
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
  context: FigureContext,
  all: readonly StabilitySensitivity[],
): void {
  const own = ofStudy(context, all);
  if (own.length === 0) return;
  for (const { pick, title, x } of sensitivities) {
    const points = own.flatMap((one) => pick(one).map(({ factor, percent }) => ({ one, factor, percent })));
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
        table: {
          columns: [{ head: 'Configuration' }, { head: 'Times' }, { head: 'Change', unit: '%' }],
          rows: points.map(({ one, factor, percent }) => [
            context.name(one.treatment),
            factor,
            Number(percent.toPrecision(4)),
          ]),
        },
      },
    );
  }
}

interface Sleeping {
  sleepMA: number;
  lives: ReportStability['battery'];
}

function groupBySleep({ battery }: ReportStability): Sleeping[] {
  const active = battery.filter(({ duty }) => duty === 1);
  const groups = Map.groupBy(
    battery.filter(({ duty }) => duty < 1),
    ({ sleepMA }) => sleepMA,
  );
  return [...groups].map(([sleepMA, own]) => ({ sleepMA, lives: [...active, ...own] }));
}

function batteryCaption(sleepMA: number, capacityMAh: number): string {
  const asleep =
    sleepMA < 1
      ? `${formatNumber(sleepMA * 1000)} µA asleep (deep sleep of the published board, by its data sheet)`
      : `${formatNumber(sleepMA)} mA between (the idle current measured here: this device does not sleep)`;
  return `Life on ${formatNumber(capacityMAh, 4)} mAh by duty cycle, I_avg = D · I_active + (1 − D) · I_sleep, with ${asleep}; in months where plain lasts 12, and in days`;
}

function batteryTable(context: FigureContext, { lives }: Sleeping, rows: readonly Configuration[]) {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Published', unit: 'months' },
      ...lives.flatMap(({ duty }) => [
        { head: `D ${String(duty * 100)} %`, unit: 'months' },
        { head: `D ${String(duty * 100)} %`, unit: 'days' },
      ]),
    ],
    rows: context.report.treatments.map(({ key }) => [
      context.name(key),
      printed('battery life', rows.find(({ one }) => one?.treatment.key === key)?.published ?? null),
      ...lives.flatMap((life) => {
        const own = life.rows.find(({ treatment }) => treatment === key);
        return [own?.monthsOfTwelve ?? null, own?.days ?? null].map((value) =>
          value === null ? NO_VALUE : formatNumber(value),
        );
      }),
    ]),
  };
}
