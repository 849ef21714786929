import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { roles } from '@mqttlab/shared/domain/devices/device';
import type { BrushRange } from '../../charts/canvas/brush.ts';
import { readNumbers } from './first-questions.ts';

/** How a part of the state stands in the address; '' is its default. Reading falls back to that. */
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
/** The first is the default. */
const oneOf = <T extends string>(name: string, usual: T, others: readonly T[]): Field<T> => ({
  name,
  read: (text) => others.find((other) => other === text) ?? usual,
  write: (value) => (value === usual ? '' : value),
});

/** Everything the compare page shows, as it stands in the address. */
const fieldsOfState = {
  /** Experiment numbers, comma-separated. */
  experiments: word('experiments', readNumbers),
  /** Run numbers, comma-separated: only these runs. */
  runs: word('runs', readNumbers),
  metric: word('metric'),
  /** Treatment id; empty: the first. */
  baseline: word('baseline'),
  /** Ids of treatments left out. */
  hidden: list('hide'),
  /** What makes panels: '' as planned, 'none' for one panel, else a factor's id. */
  group: word('group'),
  /** What takes colour and is held against the baseline: '' as planned, else a factor's id. */
  colour: word('colour'),
  /** Levels left out, each "factor=level". */
  without: list('without'),
  /** Metrics drawn beside the response. */
  more: list('more'),
  /** What is traded off: '' is the response, and what it costs. */
  x: word('x'),
  y: word('y'),
  /** Treatments of the baseline's colour are left out of the front. */
  front: oneOf<'all' | 'others'>('front', 'all', ['others']),
  scale: oneOf<'linear' | 'log'>('scale', 'linear', ['log']),
  unit: oneOf<'absolute' | 'baseline'>('unit', 'absolute', ['baseline']),
  /** Ids of treatments that stand out while the others fade. */
  marked: list('marked'),
  /** Runs that stand out because of what they measured. */
  brush: {
    name: 'brush',
    read: parseRunBrush,
    write: (brush: RunBrush | null) => (brush ? `${brush.metric}:${writeRange(brush.range)}` : ''),
  },
  /** Seconds since measuring began: the stretch of the time series that is looked at. */
  window: { name: 'window', read: parseRange, write: writeRange },
  /** Flagged runs are included. */
  flagged: flag('flagged'),
  /** All parameters, not only those that differ. */
  allParameters: flag('all'),
  /** Whose series is drawn. */
  role: oneOf('role', 'subscriber', roles),
  /** '': the usual one. */
  series: word('series'),
};

export type CompareState = {
  [Key in keyof typeof fieldsOfState]: ReturnType<(typeof fieldsOfState)[Key]['read']>;
};

const fields: { [Key in keyof CompareState]: Field<CompareState[Key]> } = fieldsOfState;
const keys = Object.keys(fields) as (keyof CompareState)[];

/** The address without what has its default value; '' when all have. */
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

/** Runs whose value of a metric, as shown, lies in a range. */
export type RunBrush = { metric: string; range: BrushRange };

/** "from:to" with four digits: more would only make the address longer. */
export function writeRange(range: BrushRange | null): string {
  return range ? range.map((value) => Number(value.toPrecision(4))).join(':') : '';
}

/** null for anything but two numbers in order. */
export function parseRange(text: string): BrushRange | null {
  const [from, to, ...rest] = text.split(':').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (from === undefined || to === undefined || rest.length > 0) return null;
  return Number.isFinite(from) && Number.isFinite(to) && from <= to ? [from, to] : null;
}

/** "metric:from:to"; null for an unknown metric or no range. */
export function parseRunBrush(text: string): RunBrush | null {
  const [metric = '', ...rest] = text.split(':');
  const range = parseRange(rest.join(':'));
  return range && findMetric(metric) ? { metric, range } : null;
}
