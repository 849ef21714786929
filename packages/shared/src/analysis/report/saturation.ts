import { findFactor } from '../../catalogue/factors.ts';
import type { FactorDefinition } from '../../domain/factor.ts';
import type { Plan, Treatment } from '../../domain/plans/plan.ts';
import type { ReportSaturation } from '../../domain/report/report.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { formatInterval } from '../../format/interval.ts';
import { formatCount, formatFixed } from '../../format/number.ts';
import { NBSP } from '../../format/quantity.ts';
import { inSentence } from '../../format/unit.ts';
import { tTwoSidedQuantile } from '../../statistics/distributions/normal.ts';
import { fitLine, type LinearFit, lineAt, predictCrossing } from '../../statistics/estimates/linear-fit.ts';
import { rangeOf } from '../estimate.ts';
import { phraseOf } from '../phrase.ts';
import { differingBases } from '../run-values.ts';
import { type ReportContext, valuesIn } from './report-input.ts';

const steps = 24;
/** Minimum number of levels, because a line through two levels always fits. */
const minLevels = 3;
/** A process with a single busy thread can use at most one core. */
const fullCorePercent = 100;

/** Fits a line over each numeric factor with at least three levels, one per colour. */
export function fitSaturations(context: ReportContext, metric: MetricDefinition): ReportSaturation[] {
  const { plan, all: treatments } = context;
  return plan.varied.flatMap((id) => {
    const factor = findFactor(id);
    const levels = new Set(plan.treatments.flatMap(({ levels: own }) => numberOf(own[id])));
    if (factor?.input.kind !== 'number' || levels.size < minLevels) return [];
    const groups = Map.groupBy(treatments, ({ treatment }) => otherLevels(plan, treatment, id));
    return [...groups].flatMap(([group, members]) => {
      const values = members.flatMap((member) =>
        numberOf(member.treatment.levels[id]).flatMap((x) =>
          valuesIn(context, member, metric).map((own) => ({ ...own, x })),
        ),
      );
      const points = values.map(({ x, value }) => ({ x, y: value }));
      if (new Set(points.map(({ x }) => x)).size < minLevels) return [];
      // Values with different bases cannot share a line.
      if (differingBases(values).length > 0) return [];
      const fitted = fitPoints(points, metric, { factor, level: context.level });
      const { mark = 1 } = members[0]?.treatment ?? {};
      return [
        {
          metric: metric.id,
          label: metric.label,
          unit: metric.unit,
          factor: factor.label,
          factorUnit: factor.unit ?? '',
          group,
          mark,
          points,
          ...fitted,
        },
      ];
    });
  });
}

/** Names all other varied levels, so that runs with the same name belong to one line. */
function otherLevels({ varied }: Plan, { levels }: Treatment, id: string): string {
  const words = varied.flatMap((other) => {
    const level = levels[other];
    if (other === id || level === null || level === undefined) return [];
    return [findFactor(other)?.shortLabel(level) ?? String(level)];
  });
  return words.join(' ') || 'All runs';
}

function fitPoints(
  points: readonly { x: number; y: number }[],
  metric: MetricDefinition,
  { factor, level }: { factor: FactorDefinition; level: number },
): Pick<ReportSaturation, 'band' | 'r2' | 'sentence'> {
  const xs = points.map(({ x }) => x);
  const fit = fitLine(
    xs,
    points.map(({ y }) => y),
  );
  if (!fit) return { band: [], r2: null, sentence: 'No line can be fitted because all values are equal.' };
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const { least } = rangeOf(metric);
  const band = Array.from({ length: steps + 1 }, (_, i) => {
    const { x, y, lo, hi } = lineAt(fit, from + ((to - from) * i) / steps, level);
    return { x, y, lo: Math.max(least, lo), hi };
  });
  const said = slopeWords(fit, metric, { factor, span: to - from, level });
  const r2 = `R² ${formatFixed(fit.r2, 2)}`;
  if (fit.p >= 1 - level) {
    return {
      band,
      r2: fit.r2,
      sentence: `No trend over ${inSentence(factor.label)} was resolved (slope ${said}, ${r2}).`,
    };
  }
  const crossing =
    metric.group === 'cpu' && metric.unit === '%' ? predictCrossing(fit, fullCorePercent, level) : null;
  if (!crossing || crossing.x <= to) return { band, r2: fit.r2, sentence: `Slope ${said}, ${r2}.` };
  const where = formatInterval(rounded(crossing), { unitInHead: true });
  const full = withUnit(where.value, factor);
  const far =
    crossing.x > 5 * to
      ? ' That is far beyond the measured range and only holds if the relation stays linear.'
      : '';
  return {
    band,
    r2: fit.r2,
    sentence: `Slope ${said}, ${r2}; on this line, one core would be fully used at ${full}${NBSP}${where.interval}.${far}`,
  };
}

/** Describes the slope with its interval: "+5.9 µs [−1.2, 13.0] for every 1,000 B more". */
function slopeWords(
  { slope, seSlope, df }: LinearFit,
  metric: MetricDefinition,
  { factor, span, level }: { factor: FactorDefinition; span: number; level: number },
): string {
  const step = 10 ** Math.floor(Math.log10(span) + 1e-9);
  const half = tTwoSidedQuantile(1 - level, df) * seSlope;
  const size = {
    scale: 'difference' as const,
    value: slope * step,
    lo: (slope - half) * step,
    hi: (slope + half) * step,
  };
  return `${phraseOf(metric, []).signed(size)} for every ${stepWords(step, factor)}`;
}

/** Rounds to tens, hundreds or thousands according to the width of the interval: 89,000 [69,000, 125,000]. */
function rounded({ x, lo, hi }: { x: number; lo: number; hi: number }) {
  const step = Math.max(0, Math.floor(Math.log10((hi - lo) / 2)) - 1);
  const round = (value: number) => (step > 0 ? Math.round(value / 10 ** step) * 10 ** step : value);
  return { value: round(x), lo: round(lo), hi: round(hi) };
}

/** Describes a step: "1,000 B more", "further subscriber", "10 more subscribers". */
function stepWords(step: number, factor: FactorDefinition): string {
  const number = step < 1 ? String(step) : formatCount(step);
  if (factor.unit !== null) return `${withUnit(number, factor)} more`;
  const noun = inSentence(factor.label);
  return step === 1 ? `further ${noun.replace(/s$/, '')}` : `${number} more ${noun}`;
}

/** Formats a number with its unit, if any: "1,000 B", "1,000/s". */
function withUnit(number: string, { unit }: FactorDefinition): string {
  return `${number}${unit?.startsWith('/') ? '' : NBSP}${unit ?? ''}`.trimEnd();
}

function numberOf(level: string | number | null | undefined): number[] {
  return typeof level === 'number' ? [level] : [];
}
