import type { SvgNode } from '@mqttlab/shared/figures/drawing/svg';
import { Chart, type ChartConfiguration, type Plugin } from 'chart.js';
import { type ReactElement, useContext, useEffect, useRef } from 'react';
import { type Brush, type BrushRange, drawBrush, useBrush } from '../datasets/brush.ts';
import { useChartHost } from '../panels/chart-hosts.tsx';
import { ChartPickContext } from '../panels/chart-pick.ts';
import type { TipPoint } from './base-options.ts';
import styles from './canvas-chart.module.css';
import type { ChartLayers } from './canvas-chart.tsx';
import type { ChartTheme } from './chart-theme.ts';
import { registerCharts } from './register-charts.ts';
import { recordingContext } from './svg-recorder.ts';
import { useChartTheme } from './use-chart-theme.ts';

type CanvasChartViewProps = {
  config: ChartConfiguration;
  layers: ChartLayers;
  label: string;
  brush: Brush | undefined;
};

/** One Chart.js instance for the life of the component; new data and options update it in place. */
export function CanvasChartView({ config, layers, label, brush }: CanvasChartViewProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart | null>(null);
  const range = brush?.range ?? null;
  const theme = useChartTheme();
  const latest = useRef({ config, layers, range, theme });
  const drawn = useRef<typeof latest.current | null>(null);
  const pick = useContext(ChartPickContext);
  latest.current = { config, layers, range, theme };

  useEffect(() => {
    if (!canvas.current) return;
    registerCharts();
    const made = new Chart(canvas.current, {
      ...latest.current.config,
      plugins: [layersPlugin(() => latest.current.layers), brushPlugin(() => latest.current)],
    });
    chart.current = made;
    drawn.current = latest.current;
    // Text measured before the fonts arrive would stay in the fallback face.
    if (document.fonts.status !== 'loaded') {
      void document.fonts.ready.then(() => chart.current === made && made.update('none'));
    }
    return () => {
      chart.current = null;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    const before = drawn.current;
    if (!chart.current || !before) return;
    const now = { config, layers, range, theme };
    latest.current = now;
    drawn.current = now;
    if (before.config === config && before.layers === layers && before.range === range) return;
    // While a brush moves only what is drawn on top changes.
    if (before.config === config) return chart.current.draw();
    chart.current.data = config.data;
    if (config.options) chart.current.options = config.options;
    chart.current.update('none');
  }, [config, layers, range, theme]);

  useBrush(canvas, chart, brush);

  useChartHost(canvas, {
    renderAt: (pixelRatio) => {
      if (!chart.current) return;
      const self = chart.current;
      self.options.devicePixelRatio = pixelRatio;
      self.resize();
    },
    record: () => recordChart(canvas.current, latest.current),
  });

  useEffect(() => {
    const shown = canvas.current;
    if (!pick || !shown) return;
    const choose = (event: MouseEvent) => {
      const mode = { axis: chart.current?.options.interaction?.axis ?? 'xy', intersect: false };
      const [hit] = chart.current?.getElementsAtEventForMode(event, 'nearest', mode, true) ?? [];
      if (!hit) return;
      const raw = chart.current?.data.datasets[hit.datasetIndex]?.data[hit.index] as TipPoint | undefined;
      if (raw?.pick) pick(raw.pick);
    };
    shown.addEventListener('click', choose);
    return () => shown.removeEventListener('click', choose);
  }, [pick]);

  return (
    <canvas
      ref={canvas}
      className={styles.canvas}
      data-brush={brush ? true : undefined}
      role="img"
      aria-label={label}
    />
  );
}

function brushPlugin(latest: () => { range: BrushRange | null; theme: ChartTheme }): Plugin {
  return {
    id: 'brush',
    // Below the tooltip.
    afterDatasetsDraw: (self) => {
      const { range, theme } = latest();
      if (range) drawBrush(self, theme, range);
    },
  };
}

function layersPlugin(layers: () => ChartLayers): Plugin {
  return {
    id: 'layers',
    beforeDatasetsDraw: (self) => layers().under?.(self.ctx, self),
    afterDatasetsDraw: (self) => layers().over?.(self.ctx, self),
  };
}

/** Draws the chart once more, in the same size, on a context that keeps what is drawn. */
function recordChart(
  shown: HTMLCanvasElement | null,
  { config, layers }: { config: ChartConfiguration; layers: ChartLayers },
): SvgNode[] {
  if (!shown) return [];
  const scratch = document.createElement('canvas');
  scratch.width = shown.clientWidth;
  scratch.height = shown.clientHeight;
  const { ctx, recorder } = recordingContext(scratch);
  Object.defineProperty(scratch, 'getContext', { value: () => ctx });
  const made = new Chart(scratch, {
    ...config,
    // With segments of their own lines are drawn step by step, not as a Path2D that nothing can read.
    data: { ...config.data, datasets: config.data.datasets.map((set) => ({ ...set, segment: {} })) },
    options: { ...config.options, responsive: false, animation: false, devicePixelRatio: 1 },
    plugins: [layersPlugin(() => layers)],
  });
  // Making it has drawn it already, perhaps more than once.
  recorder.nodes = [];
  made.draw();
  const { nodes } = recorder;
  made.destroy();
  return nodes;
}
