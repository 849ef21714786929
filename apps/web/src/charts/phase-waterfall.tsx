import type { ChartConfiguration } from 'chart.js';
import { type ReactElement, useMemo } from 'react';
import { baseOptions, hiddenScale, type TipPoint } from './canvas/base-options.ts';
import { CanvasChart, type ChartLayers } from './canvas/canvas-chart.tsx';
import { drawWaterfall, partPosition } from './canvas/draw-waterfall.ts';
import { makeMeasureText } from './canvas/measure-text.ts';
import { useChartTheme } from './canvas/use-chart-theme.ts';
import { useWidth } from './canvas/use-width.ts';
import {
  makeWaterfall,
  measuredQuantities,
  type PhaseCost,
  type PhaseQuantity,
  phaseText,
} from './datasets/waterfall-data.ts';

export type PhaseWaterfallProps = {
  label: string;
  treatmentIndex: number;
  phases: readonly PhaseCost[];
  /** What the bars show; all measured quantities stand at the right, this one strong. */
  quantity: PhaseQuantity;
};

const HEAD_PX = 24;
const ROW_PX = 32;
const AXIS_PX = 24;
const COLUMN_GAP = 20;
/** Below this width only the chosen quantity's column is shown. */
const WIDE_PX = 520;

/** Phases one after another on a broken axis: set-up beside load, each to its own scale. */
export function PhaseWaterfall(props: PhaseWaterfallProps): ReactElement {
  const { label, treatmentIndex, phases, quantity } = props;
  const [ref, width] = useWidth();
  const theme = useChartTheme();
  const looks = useMemo(() => measuredQuantities(phases), [phases]);
  const look = looks.find((one) => one.key === quantity) ?? looks[0];
  const rowPx = width < WIDE_PX ? 28 : ROW_PX;

  const layout = useMemo(() => {
    const measure = makeMeasureText(theme);
    const columns = looks.filter((one) => width >= WIDE_PX || one === look);
    const widths = columns.map((one) =>
      Math.ceil(
        Math.max(measure(one.head, 600), ...phases.map((phase) => measure(phaseText(phase, one), 600))),
      ),
    );
    const name = Math.ceil(Math.max(0, ...phases.map((phase) => measure(phase.name, 500)))) + 16;
    const right = widths.reduce((sum, one) => sum + one + COLUMN_GAP, 0);
    return { columns, widths, name, right };
  }, [looks, look, phases, theme, width]);

  const waterfall = useMemo(
    () => (look ? makeWaterfall(phases, look) : { parts: [], bars: [] }),
    [phases, look],
  );

  const config = useMemo<ChartConfiguration<'scatter'>>(() => {
    const data = waterfall.bars.map((bar, i): TipPoint => {
      const tip = [bar.phase.name, ...looks.map((one) => `${one.head}: ${phaseText(bar.phase, one)}`)];
      return { x: partPosition(waterfall.parts, bar.phase.part, (bar.from + bar.to) / 2), y: i, tip };
    });
    return {
      type: 'scatter',
      data: { datasets: [{ data, pointRadius: 0, pointHoverRadius: 0, pointHitRadius: 16 }] },
      options: baseOptions(
        theme,
        { top: HEAD_PX, bottom: AXIS_PX, left: layout.name, right: layout.right, hover: 'y' },
        { x: hiddenScale(0, 1), y: hiddenScale(-0.5, waterfall.bars.length - 0.5, true) },
      ),
    };
  }, [waterfall, looks, layout, theme]);

  const layers = useMemo<ChartLayers>(
    () => ({
      over: (ctx, chart) =>
        drawWaterfall(ctx, theme, {
          chart,
          waterfall,
          treatmentIndex,
          layout,
          chosen: look,
          columnGap: COLUMN_GAP,
        }),
    }),
    [waterfall, theme, treatmentIndex, layout, look],
  );
  const heightPx = HEAD_PX + waterfall.bars.length * rowPx + AXIS_PX;
  return (
    <div ref={ref}>
      <CanvasChart config={config} layers={layers} label={label} heightPx={heightPx} />
    </div>
  );
}
