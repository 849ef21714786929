import type { Figure } from '@mqttlab/charts/drawing/figure';
import type { Palette } from '@mqttlab/charts/drawing/palette';
import type { ReactElement } from 'react';
import type { Brush } from './canvas/brush.ts';
import { FigureChart } from './canvas/figure-chart.tsx';
import { useFigure, useWidth } from './canvas/use-figure.ts';

type ChartProps<Data extends object> = Data & {
  /** The description of a kind of chart, from `@mqttlab/charts/kinds`. */
  describe: (palette: Palette, data: Data) => Figure;
  /** Lets a drag select a range on the x axis. */
  brush?: Brush | undefined;
};

/** A chart on the page: `<Chart describe={describeHistogram} label="Latency" bins={bins} ... />`. */
export function Chart<Data extends object>({ describe, brush, ...data }: ChartProps<Data>): ReactElement {
  // TypeScript cannot infer that the other properties are the data.
  const figure = useFigure(describe, data as unknown as Data);
  return <FigureChart figure={figure} brush={brush} />;
}

type WideChartProps<Data extends object> = Data & {
  describe: (palette: Palette, data: Data, width: number) => Figure | readonly Figure[];
};

/** A chart whose layout depends on its width; it may have a figure for each panel. */
export function WideChart<Data extends object>({ describe, ...data }: WideChartProps<Data>): ReactElement {
  const [ref, width] = useWidth();
  const described = useFigure(
    (palette, { width: px, ...rest }: { width: number }) => describe(palette, rest as unknown as Data, px),
    { ...data, width },
  );
  const figures = Array.isArray(described) ? described : [described];
  return (
    <div ref={ref}>
      {width > 0 && figures.map((figure) => <FigureChart key={figure.label} figure={figure} />)}
    </div>
  );
}
