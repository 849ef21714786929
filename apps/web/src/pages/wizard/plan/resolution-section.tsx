import { niceAxis } from '@mqttlab/charts/drawing/axis';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import {
  describeResolution,
  detectableDifference,
  detectableUnit,
} from '@mqttlab/shared/analysis/resolution';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import type { Resolution } from '@mqttlab/shared/messages/http';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useMemo } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { ActionButton } from '../../../ui/input/buttons.tsx';

import { useWizard } from '../model/wizard-context.tsx';
import planPanelStyles from './plan-panel.module.css';
import styles from './resolution-section.module.css';

/** The smallest difference these repetitions would show, from the spread of earlier runs of this kind. */
export function ResolutionSection(): ReactElement {
  const { forecast, draft, planning } = useWizard();
  const { resolution } = forecast;
  const view = useMemo(
    () => resolution && makeResolutionView(resolution, draft.repetitions),
    [resolution, draft.repetitions],
  );
  return (
    <>
      <h3 className={planPanelStyles.head}>
        What {plural(Number.isFinite(draft.repetitions) ? draft.repetitions : 0, 'repetition')} can show
      </h3>
      {resolution === undefined && planning.treatments >= 2 ? (
        <p className={planPanelStyles.note}>
          Follows as soon as {planning.canRun ? 'the server has answered' : 'the plan can run'}.
        </p>
      ) : (
        <p className={planPanelStyles.note}>
          {describeResolution({
            resolution: resolution ?? null,
            repetitions: draft.repetitions,
            treatments: planning.treatments,
            response: draft.response,
            workload: draft.workload.kind,
          })}
        </p>
      )}
      {planning.treatments >= 2 && resolution && view && (
        <>
          <ResolutionChart view={view} unit={detectableUnit(resolution)} />
          <MoreRepetitions />
        </>
      )}
    </>
  );
}

function MoreRepetitions(): ReactElement | null {
  const { draft, edit, planning, forecast } = useWizard();
  const { estimate } = forecast;
  if (!estimate) return null;
  const next = draft.repetitions + 1;
  return (
    <ActionButton small fullWidth icon={IconPlus} onClick={() => edit({ repetitions: next })}>
      Use {formatCount(next)}: {formatCount(planning.treatments)} more runs,{' '}
      {formatDuration(planning.treatments * estimate.runMs)}
    </ActionButton>
  );
}

/** Smallest detectable difference against repetitions; the chosen number is marked. */
function ResolutionChart({ view, unit }: { view: ResolutionView; unit: string }): ReactElement {
  const { widthPx, heightPx } = chartBox;
  const top = Math.max(...view.curve.map((point) => point.difference), view.now?.difference ?? 0);
  const shown = displayUnit(top, unit);
  const scaled = (value: number) => value * shown.multiplier;
  const { path, now, yTicks, xTicks, ground, format } = placeCurve({
    curve: view.curve.map((point) => ({ ...point, difference: scaled(point.difference) })),
    now: view.now && { ...view.now, difference: scaled(view.now.difference) },
  });
  const label = view.now
    ? `Smallest detectable difference: ${formatQuantity(view.now.difference, unit, { significant: 2 })} with ${view.now.repetitions} repetitions`
    : 'Smallest detectable difference against repetitions';
  return (
    <figure className={styles.chart}>
      <figcaption>smallest detectable difference, {shown.unit}</figcaption>
      <svg viewBox={`0 0 ${widthPx} ${heightPx}`} width="100%" role="img" aria-label={label}>
        {yTicks.map(({ value, at }) => (
          <g key={value}>
            <path
              className={value === 0 ? styles.axis : styles.grid}
              d={`M${chartBox.left} ${at}H${widthPx}`}
            />
            <text x={chartBox.left - 6} y={at + 4} textAnchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {xTicks.map(({ value, at }) => (
          <text
            key={value}
            x={at}
            y={ground + 16}
            textAnchor="middle"
            data-now={value === view.now?.repetitions || undefined}
          >
            {value}
          </text>
        ))}
        <path className={styles.curve} d={path} />
        {now && (
          <>
            <path className={styles.drop} d={`M${now.x} ${ground}V${now.y}`} />
            <circle className={styles.point} cx={now.x} cy={now.y} r="4" />
            <text
              className={styles.value}
              x={now.x + (now.isRight ? -8 : 8)}
              y={now.y - 6}
              textAnchor={now.isRight ? 'end' : 'start'}
            >
              {formatQuantity(view.now?.difference ?? 0, unit, { significant: 2 })}
            </text>
          </>
        )}
      </svg>
      <p className={styles.foot}>repetitions</p>
    </figure>
  );
}

interface CurvePoint {
  repetitions: number;
  /** In percent of the baseline, or in the unit of the metric. */
  difference: number;
}

interface ResolutionView {
  /** What the chosen repetitions can tell apart; null below three, from which on there are intervals. */
  now: CurvePoint | null;
  curve: CurvePoint[];
}

const maxPoints = 24;

/** Smallest detectable difference against repetitions around the chosen number. */
export function makeResolutionView(
  resolution: Pick<Resolution, 'scale' | 'sdOfDifferences' | 'contrasts' | 'level'>,
  repetitions: number,
): ResolutionView {
  const at = (count: number): CurvePoint | null => {
    const difference = detectableDifference(resolution, count);
    return difference === null ? null : { repetitions: count, difference };
  };
  return {
    now: at(repetitions),
    curve: spread(minRuns, Math.max(10, Math.ceil(repetitions * 1.6))).flatMap((count) => at(count) ?? []),
  };
}

/** At most `maxPoints` whole numbers from `from` to `to`, both included. */
export function spread(from: number, to: number): number[] {
  const steps = Math.min(maxPoints, to - from + 1);
  const all = Array.from({ length: steps }, (_, i) =>
    Math.round(from + ((to - from) * i) / Math.max(1, steps - 1)),
  );
  return [...new Set(all)];
}

/** px; the picture scales with its column. */
export const chartBox = { widthPx: 248, heightPx: 104, left: 30, top: 12, right: 6, bottom: 20 } as const;

/** Curve and axes in px, y from zero. */
export function placeCurve({ curve, now }: ResolutionView) {
  const { widthPx, heightPx, left, top, right, bottom } = chartBox;
  const ground = heightPx - bottom;
  const [from, to] = [curve[0]?.repetitions ?? 0, curve.at(-1)?.repetitions ?? 1];
  const highest = Math.max(...curve.map((point) => point.difference), now?.difference ?? 0, Number.MIN_VALUE);
  const axis = niceAxis({ min: 0, max: highest, steps: 3 });
  const x = (repetitions: number) =>
    round(left + ((repetitions - from) / Math.max(1, to - from)) * (widthPx - left - right));
  const y = (value: number) => round(ground - (value / axis.max) * (ground - top));
  const clamped = now && Math.min(to, Math.max(from, now.repetitions));
  return {
    path: curve
      .map((point, i) => `${i === 0 ? 'M' : 'L'}${x(point.repetitions)} ${y(point.difference)}`)
      .join(''),
    now:
      now && clamped !== null
        ? // At the right its label has no room.
          { x: x(clamped), y: y(now.difference), isRight: x(clamped) > widthPx - 70 }
        : null,
    yTicks: axis.ticks.map((value) => ({ value, at: y(value) })),
    format: axis.format,
    xTicks: xTickValues({ from, to, now: clamped }).map((value) => ({ value, at: x(value) })),
    ground,
  };
}

/** The ends, the chosen number, and some between that keep their distance. */
function xTickValues({ from, to, now }: { from: number; to: number; now: number | null }): number[] {
  const apart = Math.max(1, (to - from) / 8);
  const kept = [...new Set([...(now === null ? [] : [now]), from, to])].filter(
    (value, _i, all) => value === now || now === null || Math.abs(value - now) >= apart || all.length === 1,
  );
  for (let value = from; value <= to; value += 1) {
    if (kept.every((other) => Math.abs(other - value) >= apart)) kept.push(value);
  }
  return kept.sort((a, b) => a - b);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
