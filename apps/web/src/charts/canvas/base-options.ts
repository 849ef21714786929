import { formatFixed } from '@mqttlab/shared/format/number';
import type { ChartOptions } from 'chart.js';
import type { NiceAxis } from '../datasets/nice-axis.ts';
import type { ChartTheme } from './chart-theme.ts';

/** A datum with the lines of its tooltip, the first its title, and the treatment that a click chooses. */
export type TipPoint = { x: number; y: number; tip?: readonly string[]; pick?: string };

/** Margins in pixels, and the axis along which the nearest datum is found: anywhere in its column or row, or both. */
export type Frame = { top: number; right: number; bottom: number; left: number; hover: 'x' | 'y' | 'xy' };

type Scales = NonNullable<ChartOptions<'scatter'>['scales']>;
export type Scale = NonNullable<Scales[string]>;

/** What every chart shares: no animation, no legend, margins set beforehand, one tooltip style. */
export function baseOptions(theme: ChartTheme, frame: Frame, scales: Scales): ChartOptions<'scatter'> {
  const { hover, ...padding } = frame;
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    layout: { padding, autoPadding: false },
    interaction: { mode: 'nearest', axis: hover, intersect: false },
    scales,
    plugins: {
      legend: { display: false },
      tooltip: {
        backgroundColor: theme.surface,
        borderColor: theme.lineStrong,
        borderWidth: 1,
        cornerRadius: 5,
        padding: 8,
        caretSize: 0,
        displayColors: false,
        titleColor: theme.text,
        bodyColor: theme.text2,
        titleFont: { family: theme.fontSans, size: 12, weight: 600 },
        bodyFont: { family: theme.fontSans, size: 12 },
        callbacks: {
          title: (items) => (items[0] ? (tipOf(items[0].raw)[0] ?? '') : ''),
          label: (item) => [...tipOf(item.raw).slice(1)],
        },
      },
    },
  };
}

function tipOf(raw: unknown): readonly string[] {
  return (raw as TipPoint | undefined)?.tip ?? [];
}

export type ScaleSpec = {
  axis: NiceAxis;
  position: 'left' | 'bottom';
  /** Room for tick labels: width at the left, height at the bottom. Fixed, so that charts line up. */
  sizePx: number;
  /** Written after the last tick: "30 s". */
  unit?: string;
  /** Draws tick labels; without them the room stays. */
  labels?: boolean;
  grid?: boolean;
  format?: (value: number) => string;
};

/** Labels closer than this would touch. */
const MIN_TICK_PX = 36;

/** Every k-th tick, counted from the last, so that no more than `room` are left. */
export function thinTicks(ticks: readonly number[], room: number): number[] {
  const every = Math.max(1, Math.ceil(ticks.length / Math.max(2, room)));
  return ticks.filter((_, i) => (ticks.length - 1 - i) % every === 0);
}

/** An axis with the given ticks, linear unless it says otherwise, its zero line stronger than its grid. */
export function linearScale(theme: ChartTheme, spec: ScaleSpec): Scale {
  const { axis, position, sizePx, unit = '', labels = true, grid = true } = spec;
  const format =
    spec.format ?? ((value: number) => (axis.isLog ? String(value) : formatFixed(value, axis.decimals)));
  const isLeft = position === 'left';
  const last = axis.ticks.at(-1);
  // A label centred on the very end would be cut off.
  const endsAtTick = last !== undefined && axis.max - last < (axis.max - axis.min) * 0.04;
  return {
    type: axis.isLog ? 'logarithmic' : 'linear',
    position,
    min: axis.min,
    max: axis.max,
    border: { display: !isLeft, color: theme.axis },
    grid: {
      display: true,
      drawTicks: false,
      drawOnChartArea: grid,
      color: (context) => (context.tick?.value === axis.min && axis.min === 0 ? theme.axis : theme.grid),
    },
    ticks: {
      display: labels,
      autoSkip: false,
      maxRotation: 0,
      align: endsAtTick && !isLeft ? 'inner' : 'center',
      padding: isLeft ? 6 : 5,
      color: theme.tick,
      font: { family: theme.fontSans, size: 11 },
      callback: (value) => `${format(Number(value))}${unit && Number(value) === last ? ` ${unit}` : ''}`,
    },
    afterBuildTicks: (scale) => {
      const inside = axis.ticks.filter((value) => value >= scale.min - 1e-9 && value <= scale.max + 1e-9);
      const room = isLeft ? inside.length : Math.floor(scale.maxWidth / MIN_TICK_PX);
      scale.ticks = thinTicks(inside, room).map((value) => ({ value }));
    },
    // Fixed room and no allowance for labels at the ends: stacked and neighbouring charts line up.
    afterFit: (scale) => {
      if (isLeft) scale.width = sizePx;
      else scale.height = sizePx;
      Object.assign(
        scale,
        isLeft ? { paddingTop: 0, paddingBottom: 0 } : { paddingLeft: 0, paddingRight: 0 },
      );
    },
  };
}

/** An axis that only places things: nothing of it is drawn. */
export function hiddenScale(min: number, max: number, reverse = false): Scale {
  return { type: 'linear', display: false, min, max, reverse };
}
