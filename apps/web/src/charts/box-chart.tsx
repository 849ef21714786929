import { type ReactElement, useMemo, useState } from 'react';
import { SegmentedSwitch } from '../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../ui/theme.ts';
import styles from './box-chart.module.css';
import { BoxColumns } from './box-columns.tsx';
import { BoxRows } from './box-rows.tsx';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { useWidth } from './canvas/use-width.ts';
import { type BoxPanel, boxAxis } from './datasets/box-chart-data.ts';

export type BoxChartProps = {
  /** Accessible name. */
  label: string;
  /** Of every value: "ms". */
  unit: string;
  /** Facets, side by side; on phones one at a time under a switch. */
  panels: readonly BoxPanel[];
  /** One scale for all panels; otherwise each panel has its own and says so. */
  sharedScale?: boolean;
  /** `log` where every value is above zero. */
  scale?: 'linear' | 'log';
  heightPx?: number;
};

/** Below this many pixels per box the figures no longer fit under it, and boxes become rows. */
const MIN_BOX_PX = 58;
/** Between the names of neighbours. */
const NAME_GAP_PX = 8;

export function BoxChart(props: BoxChartProps): ReactElement {
  const { label, unit, panels, sharedScale = false, scale = 'linear', heightPx = 300 } = props;
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const [shown, setShown] = useState(panels[0]?.title ?? '');
  const isPhone = useIsPhone();
  const boxes = Math.max(1, ...panels.map((panel) => panel.boxes.length));
  const widestName = useMemo(() => {
    const measure = makeMeasureText(theme);
    const names = panels.flatMap((panel) =>
      panel.boxes.map(({ treatment }) => measure(treatment.shortLabel, 500)),
    );
    return Math.max(0, ...names) + NAME_GAP_PX;
  }, [panels, theme]);
  const isRows = width > 0 && width / panels.length / boxes < Math.max(MIN_BOX_PX, widestName);
  const visible = isPhone ? panels.filter((panel) => panel.title === shown).slice(0, 1) : panels;
  const drawn = visible.length > 0 ? visible : panels.slice(0, 1);
  return (
    <div ref={ref}>
      {isPhone && panels.length > 1 && (
        <div className={styles.switch}>
          <SegmentedSwitch
            label="Panel"
            fullWidth
            value={drawn[0]?.title ?? ''}
            onChange={setShown}
            options={panels.map((panel) => ({ value: panel.title, label: panel.title }))}
          />
        </div>
      )}
      <div className={styles.panels} data-rows={isRows || undefined}>
        {drawn.map((panel) => {
          const axis = boxAxis(sharedScale ? panels : [panel], {
            steps: isRows ? 4 : 5,
            isLog: scale === 'log',
          });
          const range = sharedScale || panels.length === 1 ? '' : `${axis.min} to ${axis.max} ${unit}`;
          const note = [panel.note, range].filter(Boolean).join(', ');
          const common = { panel, unit, axis, note, label: [label, panel.title].filter(Boolean).join(', ') };
          if (width === 0) return <div key={panel.title} style={{ height: heightPx }} />;
          return isRows ? (
            <BoxRows key={panel.title} {...common} showsHead={!isPhone && panels.length > 1} />
          ) : (
            <BoxColumns key={panel.title} {...common} heightPx={heightPx} />
          );
        })}
      </div>
    </div>
  );
}
