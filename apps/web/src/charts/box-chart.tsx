import { type ReactElement, useState } from 'react';
import { SegmentedSwitch } from '../ui/input/segmented-switch.tsx';
import { useIsPhone } from '../ui/theme.ts';
import styles from './box-chart.module.css';
import { describeBoxes, nameLines } from './box-figure.ts';
import { estimateWidth } from './canvas/chart-marks.ts';
import { useChartTheme, widest } from './canvas/chart-theme.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useWidth } from './canvas/use-figure.ts';
import { type BoxDatum, type BoxPanel, boxAxis, boxFigure } from './datasets/box-chart-data.ts';

export type BoxChartProps = {
  /** Accessible name. */
  label: string;
  /** Of every value: "ms". */
  unit: string;
  /** What marker and figure are: "median latency". */
  centre: string;
  /** Facets, side by side; on phones one at a time under a switch. */
  panels: readonly BoxPanel[];
  /** One scale for all panels; otherwise each panel has its own and says so. */
  sharedScale?: boolean;
  /** `log` where every value is above zero. */
  scale?: 'linear' | 'log';
  heightPx?: number;
};

/** Below this many pixels per box the figures no longer fit under it, and boxes become rows. */
const minBoxPx = 58;
/** Panels of rows stand beside each other where each has this much. */
const minPanelPx = 480;
const gapPx = 16;
/** With less than this left for the boxes, names and figures stand above them. */
const plotPx = 140;
/** Between the names of neighbours. */
const nameGapPx = 8;

export function BoxChart(props: BoxChartProps): ReactElement {
  const { label, unit, centre, panels, sharedScale = false, scale = 'linear', heightPx = 300 } = props;
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const [shown, setShown] = useState(panels[0]?.title ?? '');
  const isPhone = useIsPhone();
  const boxes = Math.max(1, ...panels.map((panel) => panel.boxes.length));
  const names = panels.flatMap((panel) =>
    panel.boxes.flatMap(({ treatment, note = '' }) =>
      [...nameLines(treatment.shortLabel), note].map((line) => theme.widthOf(line, 500)),
    ),
  );
  const isRows = width > 0 && width / panels.length / boxes < Math.max(minBoxPx, widest(names) + nameGapPx);
  const figureOf = (box: BoxDatum) => {
    const figure = boxFigure(box);
    return estimateWidth(theme, { ...figure, value: `${figure.value} ${unit}`, note: box.note });
  };
  const room = {
    left:
      widest(
        panels.flatMap(({ boxes }) => boxes.map(({ treatment }) => theme.widthOf(treatment.shortLabel, 500))),
      ) + 10,
    right: widest(panels.flatMap(({ boxes }) => boxes.map(figureOf))) + 12,
  };
  const perRow = Math.max(1, Math.min(panels.length, Math.floor((width + gapPx) / (minPanelPx + gapPx))));
  const beside = (width + gapPx) / perRow - gapPx - room.left - room.right >= plotPx ? room : null;
  const visible = isPhone ? panels.filter((panel) => panel.title === shown).slice(0, 1) : panels;
  const drawn = visible.length > 0 ? visible : panels.slice(0, 1);
  const figures = drawn.map((panel) => {
    const axis = boxAxis(sharedScale ? panels : [panel], { steps: isRows ? 4 : 5, isLog: scale === 'log' });
    const range = sharedScale || panels.length === 1 ? '' : `${axis.min} to ${axis.max} ${unit}`;
    return describeBoxes(theme, {
      label: [label, panel.title].filter(Boolean).join(', '),
      panel,
      unit,
      centre,
      axis,
      note: [panel.note, range].filter(Boolean).join(', '),
      isRows,
      beside,
      isApart: !beside && room.left + room.right > width / perRow,
      showsTitle: panel.title !== '' && !(isRows && (isPhone || panels.length === 1)),
      heightPx,
    });
  });
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
