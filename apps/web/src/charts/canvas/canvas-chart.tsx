import type { Chart, ChartConfiguration, ChartType } from 'chart.js';
import type { ReactElement } from 'react';
import type { Brush } from '../datasets/brush.ts';
import styles from './canvas-chart.module.css';
import { CanvasChartView } from './canvas-chart-view.tsx';

export type DrawLayer = (ctx: CanvasRenderingContext2D, chart: Chart) => void;

/** What the kit draws itself, below and above Chart.js's own marks. */
export type ChartLayers = { under?: DrawLayer; over?: DrawLayer };

export type CanvasChartProps<Type extends ChartType> = {
  config: ChartConfiguration<Type>;
  layers?: ChartLayers;
  /** Accessible name: what is compared, and the finding if there is one. */
  label: string;
  heightPx: number;
  /** Lets a drag choose a stretch of the x axis. */
  brush?: Brush | undefined;
};

const noLayers: ChartLayers = {};

/** A canvas of fixed height, so that nothing moves while it updates. */
export function CanvasChart<Type extends ChartType>(props: CanvasChartProps<Type>): ReactElement {
  const { config, layers = noLayers, label, heightPx, brush } = props;
  return (
    <div className={styles.host} style={{ height: heightPx }}>
      <CanvasChartView config={config as ChartConfiguration} layers={layers} label={label} brush={brush} />
    </div>
  );
}
