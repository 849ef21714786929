import { alternativeOf, type Figure, type FigureLayers, figureLayers } from '@mqttlab/charts/drawing/figure';
import { Chart } from 'chart.js';
import { type ReactElement, use, useEffect, useMemo, useRef } from 'react';
import { type Brush, type BrushRange, ChartPickContext, drawBrush, useBrush } from './brush.ts';
import { chartConfig, type FigureChartInstance, registerCharts } from './chart-config.ts';
import { type ChartTheme, useChartTheme } from './chart-theme.ts';
import { drawCrosshair, useCrosshair } from './crosshair.tsx';
import styles from './figure-chart.module.css';
import { paintNodes } from './paint-nodes.ts';
import { ChartHostsContext } from './panel-picture.ts';

export type FigureChartProps = {
  figure: Figure;
  /** Lets a drag select a range of the x axis. */
  brush?: Brush | undefined;
};

type Shown = { figure: Figure; theme: ChartTheme; range: BrushRange | null };

/**
 * A figure on the page. The component uses one Chart.js instance for its lifetime; a new figure updates the
 * instance in place.
 */
export function FigureChart({ figure, brush }: FigureChartProps): ReactElement {
  const theme = useChartTheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const chart = useRef<FigureChartInstance | null>(null);
  const range = brush?.range ?? null;
  const shown = useMemo<Shown>(() => ({ figure, theme, range }), [figure, theme, range]);
  const latest = useRef(shown);
  const drawn = useRef(shown);
  latest.current = shown;
  const crosshair = useCrosshair(canvas, chart);

  useEffect(() => {
    if (!canvas.current) return;
    registerCharts();
    const made: FigureChartInstance = new Chart(canvas.current, {
      ...chartConfig(latest.current.figure, latest.current.theme),
      plugins: [marksPlugin(() => latest.current, crosshair)],
    });
    chart.current = made;
    drawn.current = latest.current;
    // Text drawn before the fonts are loaded would stay in the fallback font.
    if (document.fonts.status !== 'loaded') {
      void document.fonts.ready.then(() => chart.current === made && made.update('none'));
    }
    return () => {
      chart.current = null;
      made.destroy();
    };
  }, [crosshair]);

  useEffect(() => {
    const before = drawn.current;
    if (!chart.current || before === shown) return;
    drawn.current = shown;
    // While a brush moves, only the topmost layer changes.
    if (before.figure === shown.figure && before.theme === shown.theme) return chart.current.draw();
    const { data, options } = chartConfig(shown.figure, shown.theme);
    chart.current.data = data;
    if (options) chart.current.options = options;
    chart.current.update('none');
  }, [shown]);

  useBrush(canvas, chart, brush);

  const hosts = use(ChartHostsContext);
  useEffect(() => {
    const element = canvas.current;
    if (!element || !hosts) return;
    hosts.set(element, () => latest.current.figure);
    return () => {
      hosts.delete(element);
    };
  }, [hosts]);

  const pick = use(ChartPickContext);
  useEffect(() => {
    const element = canvas.current;
    if (!pick || !element) return;
    const choose = (event: MouseEvent) => {
      const mode = { axis: chart.current?.options.interaction?.axis ?? 'xy', intersect: false };
      const [hit] = chart.current?.getElementsAtEventForMode(event, 'nearest', mode, true) ?? [];
      if (!hit) return;
      const datum = chart.current?.data.datasets[hit.datasetIndex]?.data[hit.index];
      if (datum?.pick) pick(datum.pick);
    };
    element.addEventListener('click', choose);
    return () => element.removeEventListener('click', choose);
  }, [pick]);

  return (
    <div className={styles.host} style={{ height: figure.heightPx }}>
      <canvas
        ref={canvas}
        className={styles.canvas}
        data-brush={brush ? true : undefined}
        role="img"
        aria-label={alternativeOf(figure)}
      />
    </div>
  );
}

/**
 * Draws the figure's marks around Chart.js's lines and below its tooltip. The layout changes only with the
 * figure or its size.
 */
function marksPlugin(latest: () => Shown, crosshair: ReturnType<typeof useCrosshair>) {
  let laidOut: { shown: Shown; width: number; height: number; layers: FigureLayers } | null = null;
  const layersOf = ({ width, height }: FigureChartInstance): FigureLayers => {
    const shown = latest();
    const { figure, theme } = shown;
    const before = laidOut?.shown;
    const isSame = before?.figure === figure && before.theme === theme;
    if (laidOut && isSame && laidOut.width === width && laidOut.height === height) return laidOut.layers;
    const layers = figureLayers(figure, theme, { width, height });
    laidOut = { shown, width, height, layers };
    return layers;
  };
  return {
    id: 'marks',
    beforeDatasetsDraw: (self: FigureChartInstance) =>
      paintNodes(self.ctx, layersOf(self).below, latest().theme.fontSans),
    afterDatasetsDraw: (self: FigureChartInstance) => {
      const { theme, range } = latest();
      paintNodes(self.ctx, layersOf(self).above, theme.fontSans);
      if (crosshair && crosshair.x !== null) drawCrosshair(self, theme, crosshair.x);
      if (range) drawBrush(self, theme, range);
    },
  };
}
