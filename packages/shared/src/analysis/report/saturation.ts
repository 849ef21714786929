import { findFactor } from '../../catalogue/factors.ts';
import type { MetricDefinition } from '../../domain/metric.ts';
import type { Plan, Treatment } from '../../domain/plan.ts';
import type { ReportSaturation } from '../../domain/report.ts';
import { formatNumber } from '../../format/number.ts';
import { fitLine, lineAt, predictCrossing } from '../../statistics/linear-fit.ts';
import { runValues } from '../run-values.ts';
import type { ReportContext } from './report-input.ts';

const steps = 24;
/** A line through two levels fits always and tells nothing. */
const fewestLevels = 3;
/** One core is all that a process with one busy thread has. */
const fullCorePercent = 100;

/** A straight line through the runs wherever a numeric factor has three levels or more, one for each colour. */
export function fitSaturations(context: ReportContext, metric: MetricDefinition): ReportSaturation[] {
  const { plan, treatments, input } = context;
  return plan.varied.flatMap((id) => {
    const factor = findFactor(id);
    const levels = new Set(plan.treatments.flatMap(({ levels: own }) => numberOf(own[id])));
    if (factor?.input.kind !== 'number' || levels.size < fewestLevels) return [];
    const groups = Map.groupBy(treatments, ({ treatment }) => otherLevels(plan, treatment, id));
    return [...groups].flatMap(([group, members]) => {
      const points = members.flatMap((member) =>
        numberOf(member.treatment.levels[id]).flatMap((x) =>
          runValues(member, { metric: metric.id, flagged: input.takesFlagged }).map(({ value }) => ({
            x,
            y: value,
          })),
        ),
      );
      if (new Set(points.map(({ x }) => x)).size < fewestLevels) return [];
      const fitted = fitPoints(points, metric, factor.label.toLowerCase());
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

/** Name of everything that varies besides this factor: runs that share it lie on one line. */
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
  factor: string,
): Pick<ReportSaturation, 'band' | 'r2' | 'sentence'> {
  const xs = points.map(({ x }) => x);
  const fit = fitLine(
    xs,
    points.map(({ y }) => y),
  );
  if (!fit) return { band: [], r2: null, sentence: 'No line can be fitted: the values do not differ.' };
  const [from, to] = [Math.min(...xs), Math.max(...xs)];
  const band = Array.from({ length: steps + 1 }, (_, i) => {
    const { x, y, lo, hi } = lineAt(fit, from + ((to - from) * i) / steps);
    return { x, y, lo, hi };
  });
  const slope = `${formatNumber(fit.slope)} ${metric.unit === '%' ? 'percentage points' : metric.unit} for each unit of ${factor}, R² ${formatNumber(fit.r2, 2)}`;
  if (fit.p >= 0.05) {
    return { band, r2: fit.r2, sentence: `No trend over ${factor} was resolved (slope ${slope}).` };
  }
  const crossing =
    metric.group === 'cpu' && metric.unit === '%' ? predictCrossing(fit, fullCorePercent) : null;
  if (!crossing || crossing.x <= to) return { band, r2: fit.r2, sentence: `Slope ${slope}.` };
  const far =
    crossing.x > 5 * to ? ' That is far beyond what was measured: a guess, if the line stays straight.' : '';
  return {
    band,
    r2: fit.r2,
    sentence: `Slope ${slope}; on this line one core would be full at ${formatNumber(crossing.x)} [${formatNumber(crossing.lo)}, ${formatNumber(crossing.hi)}].${far}`,
  };
}

function numberOf(level: string | number | null | undefined): number[] {
  return typeof level === 'number' ? [level] : [];
}
