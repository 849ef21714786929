import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { roles } from '@mqttlab/shared/domain/devices/device';
import type { BrushRange } from '../../charts/canvas/brush.ts';
import { readNumbers } from './first-questions.ts';

/** How a field is read from and written to the address. '' and invalid values stand for the default. */
type Field<T> = { name: string; read(text: string): T; write(value: T): string };

const word = (name: string, read = (text: string) => text): Field<string> => ({
  name,
  read,
  write: (text) => text,
});
const list = (name: string): Field<readonly string[]> => ({
  name,
  read: (text) => text.split('|').filter(Boolean),
  write: (items) => items.join('|'),
});
const flag = (name: string): Field<boolean> => ({
  name,
  read: (text) => text === '1',
  write: (isOn) => (isOn ? '1' : ''),
});
/** `usual` is the default. */
const oneOf = <T extends string>(name: string, usual: T, others: readonly T[]): Field<T> => ({
  name,
  read: (text) => others.find((other) => other === text) ?? usual,
  write: (value) => (value === usual ? '' : value),
});

/** State of the compare page, as stored in the address. */
const fieldsOfState = {
  /** Experiment numbers, comma-separated. */
  experiments: word('experiments', readNumbers),
  /** Comma-separated numbers of the only runs to include; '' for all. */
  runs: word('runs', readNumbers),
  metric: word('metric'),
  /** Id of the baseline treatment; empty for the default. */
  baseline: word('baseline'),
  /** Ids of hidden treatments. */
  hidden: list('hide'),
  /** Factor that defines panels: '' as planned, 'none' for one panel, or a factor id. */
  group: word('group'),
  /** Factor shown by colour and compared with the baseline: '' as planned, or a factor id. */
  colour: word('colour'),
  /** Hidden levels, each "factor=level". */
  without: list('without'),
  /** Metrics shown next to the response. */
  more: list('more'),
  /** Axes of the trade-off chart: '' is the response, or the usual cost metric. */
  x: word('x'),
  y: word('y'),
  /** 'others' excludes treatments of the baseline's colour from the Pareto front. */
  front: oneOf<'all' | 'others'>('front', 'all', ['others']),
  /** 'auto' is logarithmic for quantities that are compared as ratios, and linear for all others. */
  scale: oneOf<'auto' | 'linear' | 'log'>('scale', 'auto', ['linear', 'log']),
  unit: oneOf<'absolute' | 'baseline'>('unit', 'absolute', ['baseline']),
  /** Ids of highlighted treatments. */
  marked: list('marked'),
  /** Runs highlighted by their values. */
  brush: {
    name: 'brush',
    read: parseRunBrush,
    write: (brush: RunBrush | null) => (brush ? `${brush.metric}:${writeRange(brush.range)}` : ''),
  },
  /** Selected range of the time series, in seconds since the start of measuring. */
  window: { name: 'window', read: parseRange, write: writeRange },
  /** Whether flagged runs are included. */
  flagged: flag('flagged'),
  /** Whether all parameters are shown, or only those that differ. */
  allParameters: flag('all'),
  /** Role whose series is drawn. */
  role: oneOf('role', 'subscriber', roles),
  /** Series to draw; '' for the default. */
  series: word('series'),
};

export type CompareState = {
  [Key in keyof typeof fieldsOfState]: ReturnType<(typeof fieldsOfState)[Key]['read']>;
};

const fields: { [Key in keyof CompareState]: Field<CompareState[Key]> } = fieldsOfState;
const keys = Object.keys(fields) as (keyof CompareState)[];

/** Returns the query string without default values; '' if all are defaults. */
export function writeCompareState(state: CompareState): string {
  const textOf = <Key extends keyof CompareState>(key: Key) => fields[key].write(state[key]);
  const texts = keys.map((key) => [fields[key].name, textOf(key)]);
  return new URLSearchParams(texts.filter(([, text]) => text !== '')).toString();
}

/** Reads an address; anything unknown or malformed falls back to its default. */
export function parseCompareState(search: string | URLSearchParams): CompareState {
  const params = new URLSearchParams(search);
  const values = keys.map((key) => [key, fields[key].read(params.get(fields[key].name) ?? '')]);
  return Object.fromEntries(values) as CompareState;
}

/** Selection of runs whose displayed value of a metric is in a range. */
export type RunBrush = { metric: string; range: BrushRange };

/** Returns "from:to" with four significant digits, which keeps the address short. */
export function writeRange(range: BrushRange | null): string {
  return range ? range.map((value) => Number(value.toPrecision(4))).join(':') : '';
}

/** Returns null unless the text contains two ordered numbers. */
export function parseRange(text: string): BrushRange | null {
  const [from, to, ...rest] = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (from === undefined || to === undefined || rest.length > 0) return null;
  return Number.isFinite(from) && Number.isFinite(to) && from <= to ? [from, to] : null;
}

/** Parses "metric:from:to"; null if the metric is unknown or there is no range. */
export function parseRunBrush(text: string): RunBrush | null {
  const [metric = '', ...rest] = text.split(':');
  const range = parseRange(rest.join(':'));
  return range && findMetric(metric) ? { metric, range } : null;
}
