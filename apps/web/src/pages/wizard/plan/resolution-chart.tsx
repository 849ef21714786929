import { formatFixed } from '@mqttlab/shared/format/number';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { displayUnit } from '@mqttlab/shared/format/unit';
import type { ReactElement } from 'react';
import { chartBox, placeCurve } from './place-curve.ts';
import styles from './resolution-chart.module.css';
import type { ResolutionView } from './resolution-curve.ts';

type ResolutionChartProps = { view: ResolutionView; unit: string };

/** Smallest difference told apart against repetitions; the chosen number is marked. */
export function ResolutionChart({ view, unit }: ResolutionChartProps): ReactElement {
  const { widthPx, heightPx } = chartBox;
  const top = Math.max(...view.curve.map((point) => point.difference), view.now?.difference ?? 0);
  const shown = displayUnit(top, unit);
  const scaled = (value: number) => value * shown.multiplier;
  const { path, now, yTicks, xTicks, ground, decimals } = placeCurve({
    curve: view.curve.map((point) => ({ ...point, difference: scaled(point.difference) })),
    now: view.now && { ...view.now, difference: scaled(view.now.difference) },
  });
  const label = view.now
    ? `Smallest difference told apart: ${formatQuantity(view.now.difference, unit, { significant: 2 })} with ${view.now.repetitions} repetitions`
    : 'Smallest difference told apart against repetitions';
  return (
    <figure className={styles.chart}>
      <figcaption>smallest difference told apart, {shown.unit}</figcaption>
      <svg viewBox={`0 0 ${widthPx} ${heightPx}`} width="100%" role="img" aria-label={label}>
        {yTicks.map(({ value, at }) => (
          <g key={value}>
            <path
              className={value === 0 ? styles.axis : styles.grid}
              d={`M${chartBox.left} ${at}H${widthPx}`}
            />
            <text x={chartBox.left - 6} y={at + 4} textAnchor="end">
              {formatFixed(value, decimals)}
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
