import type {
  ReportStability,
  StabilityCurve,
  StabilityVariable,
} from '../../../domain/report/report-stability.ts';
import { formatNumber } from '../../../format/number.ts';
import { drawBootstraps } from '../../bootstrap-figure.ts';
import { drawCorrelograms } from '../../correlogram-figure.ts';
import type { DocumentBuilder, DocumentTable } from '../../document/blocks.ts';
import type { FigureContext } from '../../drawing/treatments.ts';
import { drawLines } from '../../lines-figure.ts';
import { findVariable, ofStudy } from './configurations.ts';

/** As published, for display only. */
const smoothingMs = 5000;
const shownCorrelograms = 5;

/** Repeatability, memory, resampled differences and the course of the current, as the study draws them. */
export function addSeriesFigures(
  builder: DocumentBuilder,
  context: FigureContext,
  stability: ReportStability,
): void {
  const current = findVariable(stability.variables, 'current.publisher');
  if (!current) return;
  const curves = ofStudy(context, current.curves);
  builder.figure(
    'Repeatability of the emitter’s current',
    `Mean across runs, unsmoothed; ${bandWords(current)}.`,
    drawCurves(context, { label: 'Repeatability', unit: 'mA', curves }),
  );
  addCorrelograms(builder, context, current);
  addBootstraps(builder, context, stability);
  const windowMs = Math.min(smoothingMs, lastTime(curves) / 10);
  builder.figure(
    'Emitter’s current over time',
    `Moving average over ${formatNumber(windowMs / 1000)} s, for display only: no statistic rests on it.`,
    drawCurves(context, {
      label: 'Current over time',
      unit: 'mA',
      curves: curves.map((curve) => smooth(curve, windowMs)),
    }),
  );
  const overhead = ofStudy(context, current.overhead);
  if (overhead.length > 0) {
    builder.figure(
      'Relative overhead of the emitter over time',
      'Current against plain at the same time, unsmoothed; from three runs on with the 95 % interval of the ratio of means.',
      drawCurves(context, { label: 'Relative overhead over time', unit: '% over plain', curves: overhead }),
    );
  }
}

/** What the band of a curve shows. */
export function bandWords({ summaries }: StabilityVariable): string {
  const most = Math.max(0, ...summaries.map(({ runs }) => runs));
  return most >= 3
    ? 'band: 95 % interval over runs'
    : 'band: from the lowest to the highest run, for two runs give no interval';
}

function lastTime(curves: readonly StabilityCurve[]): number {
  return Math.max(0, ...curves.flatMap(({ timesMs }) => timesMs.at(-1) ?? 0));
}

/** Centred mean over a window of time; without its band. */
function smooth({ treatment, timesMs, mean }: StabilityCurve, windowMs: number): StabilityCurve {
  const smoothed = timesMs.map((at) => {
    const own = mean.filter((value, index) => {
      const time = timesMs[index] ?? Number.NaN;
      return value !== null && Math.abs(time - at) <= windowMs / 2;
    });
    const sum = own.reduce<number>((total, value) => total + (value ?? 0), 0);
    return own.length === 0 ? null : sum / own.length;
  });
  const nothing = timesMs.map(() => null);
  return { treatment, timesMs, mean: smoothed, lo: nothing, hi: nothing };
}

interface Curves {
  label: string;
  unit: string;
  curves: readonly StabilityCurve[];
}

function drawCurves(context: FigureContext, { label, unit, curves }: Curves) {
  return {
    picture: drawLines(context, {
      label,
      xLabel: 's since measuring began',
      yLabel: unit,
      series: curves.map(({ treatment, timesMs, mean, lo, hi }) => ({
        treatment,
        points: timesMs.map((ms, i) => ({
          x: ms / 1000,
          y: mean[i] ?? null,
          lo: lo[i] ?? null,
          hi: hi[i] ?? null,
        })),
      })),
    }),
    table: curveTable(context, { label, unit, curves }),
  };
}

export function curveTable({ name }: FigureContext, { unit, curves }: Curves): DocumentTable {
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Time', unit: 's' },
      ...['Mean', '95 % CI from', '95 % CI to'].map((head) => ({ head, unit })),
    ],
    rows: curves.flatMap(({ treatment, timesMs, mean, lo, hi }) =>
      timesMs.map((ms, i) => [name(treatment), ms / 1000, mean[i] ?? null, lo[i] ?? null, hi[i] ?? null]),
    ),
  };
}

function addCorrelograms(
  builder: DocumentBuilder,
  context: FigureContext,
  { label, summaries }: StabilityVariable,
): void {
  const drawn = ofStudy(context, summaries)
    .flatMap(({ treatment, memory }) => (memory ? [{ treatment, ...memory }] : []))
    .slice(0, shownCorrelograms);
  if (drawn.length === 0) return;
  builder.figure(
    `${label}: autocorrelation and partial autocorrelation`,
    'Of the first run of each configuration. Grey: where 95 % of the autocorrelations of independent samples lie.',
    {
      picture: drawCorrelograms(context, drawn),
      table: {
        columns: ['Configuration', 'Lag', 'ACF', 'PACF'].map((head) => ({ head })),
        rows: drawn.flatMap(({ treatment, acf, pacf }) =>
          acf.map((value, lag) => [context.name(treatment), lag, value, pacf[lag] ?? null]),
        ),
      },
    },
  );
}

function addBootstraps(builder: DocumentBuilder, context: FigureContext, stability: ReportStability): void {
  const current = findVariable(stability.variables, 'current.publisher');
  if (!current) return;
  const drawn = ofStudy(context, current.contrasts).filter(({ distribution }) => distribution !== null);
  if (drawn.length === 0) return;
  builder.figure(
    `${current.label}: bootstrap distribution of the difference from plain`,
    `Circular blocks of ${stability.blockLength} samples, ${stability.replicates} replicates; coloured bracket: their 95 % interval, dark bracket: that over runs, dashed: no difference.`,
    {
      picture: drawBootstraps(
        context,
        drawn.map(({ treatment, baseline, distribution, lo, hi, runLo, runHi }) => ({
          treatment,
          baseline,
          distribution,
          unit: current.unit,
          published: lo === null || hi === null ? null : { lo, hi },
          runLevel: { lo: runLo, hi: runHi },
        })),
      ),
      table: {
        columns: [
          { head: 'Configuration' },
          { head: 'From', unit: current.unit },
          { head: 'To', unit: current.unit },
          { head: 'Replicates' },
        ],
        rows: drawn.flatMap(({ treatment, distribution }) => {
          const { from = 0, to = 0, counts = [] } = distribution ?? {};
          const step = (to - from) / Math.max(1, counts.length);
          return counts.map((count, bin) => [
            context.name(treatment),
            from + bin * step,
            from + (bin + 1) * step,
            count,
          ]);
        }),
      },
    },
  );
}
