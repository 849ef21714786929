import { Chart, type ChartConfiguration } from 'chart.js';
import { type ReactElement, useEffect, useRef } from 'react';
import styles from './canvas-chart.module.css';
import type { ChartLayers } from './canvas-chart.tsx';
import { useChartHost } from './chart-hosts.tsx';
import { registerCharts } from './register-charts.ts';

type CanvasChartViewProps = { config: ChartConfiguration; layers: ChartLayers; label: string };

/** One Chart.js instance for the life of the component; new data and options update it in place. */
export function CanvasChartView({ config, layers, label }: CanvasChartViewProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<Chart | null>(null);
  const latest = useRef({ config, layers });
  latest.current = { config, layers };

  useEffect(() => {
    if (!canvas.current) return;
    registerCharts();
    const made = new Chart(canvas.current, {
      ...latest.current.config,
      plugins: [
        {
          id: 'layers',
          beforeDatasetsDraw: (self) => latest.current.layers.under?.(self.ctx, self),
          afterDatasetsDraw: (self) => latest.current.layers.over?.(self.ctx, self),
        },
      ],
    });
    chart.current = made;
    // Text measured before the fonts arrive would stay in the fallback face.
    void document.fonts.ready.then(() => chart.current === made && made.update('none'));
    return () => {
      chart.current = null;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    if (!chart.current) return;
    chart.current.data = config.data;
    if (config.options) chart.current.options = config.options;
    latest.current.layers = layers;
    chart.current.update('none');
  }, [config, layers]);

  useChartHost(canvas, (pixelRatio) => {
    if (!chart.current) return;
    const self = chart.current;
    self.options.devicePixelRatio = pixelRatio;
    self.resize();
  });

  return <canvas ref={canvas} className={styles.canvas} role="img" aria-label={label} />;
}
