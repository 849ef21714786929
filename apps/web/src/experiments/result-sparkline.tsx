import type { Headline } from '@mqttlab/shared/domain/experiment';
import type { ReactElement } from 'react';
import { markerPath } from '../ui/marker-path.ts';
import { treatmentStyle } from '../ui/treatment.ts';
import styles from './result-sparkline.module.css';
import { placePoints, sparkSize } from './sparkline-points.ts';

/** Mean of each Treatment in its colour and marker; the figure beside it carries the interval. */
export function ResultSparkline({ points }: Pick<Headline, 'points'>): ReactElement {
  const { widthPx, heightPx } = sparkSize;
  return (
    <svg
      className={styles.spark}
      width={widthPx}
      height={heightPx}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      aria-hidden
    >
      <path className={styles.ground} d={`M0 ${heightPx - 0.5}H${widthPx}`} />
      {placePoints(points).map(({ key, x, y, mark }) => {
        const { d, isStroke } = markerPath(treatmentStyle(mark), { x, y, size: 2.6 });
        return (
          <path
            key={key}
            data-t={treatmentStyle(mark)}
            className={isStroke ? styles.line : styles.fill}
            d={d}
          />
        );
      })}
    </svg>
  );
}
