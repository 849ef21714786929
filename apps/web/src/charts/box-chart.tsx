import { areBoxesLevel, type BoxData, describeBoxes } from '@mqttlab/charts/kinds/box';
import { type ReactElement, useState } from 'react';
import { SegmentedSwitch } from '../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../ui/theme.ts';
import styles from './box-chart.module.css';
import { useChartTheme } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useWidth } from './canvas/use-figure.ts';

/** Box plots in facets side by side. Phones show one facet at a time, selected by a switch. */
export function BoxChart(data: Omit<BoxData, 'only'>): ReactElement {
  const { panels, heightPx = 300 } = data;
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const isPhone = useIsPhone();
  const [selected, setSelected] = useState(panels[0]?.title ?? '');
  const shown = panels.some(({ title }) => title === selected) ? selected : (panels[0]?.title ?? '');
  const figures = describeBoxes(theme, { ...data, only: isPhone ? shown : undefined }, width);
  return (
    <div ref={ref}>
      {isPhone && panels.length > 1 && (
        <div className={styles.switch}>
          <SegmentedSwitch
            label="Panel"
            fullWidth
            value={shown}
            onChange={setSelected}
            options={panels.map(({ title }) => ({ value: title, label: title }))}
          />
        </div>
      )}
      <div className={styles.panels} data-rows={areBoxesLevel(data, width) || undefined}>
        {figures.map((figure) =>
          width === 0 ? (
            <div key={figure.label} style={{ height: heightPx }} />
          ) : (
            <FigureChart key={figure.label} figure={figure} />
          ),
        )}
      </div>
    </div>
  );
}
