import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { BrushRange } from '../../charts/canvas/brush.ts';
import { readNumbers, readRole } from './first-questions.ts';
import { parseRange, parseRunBrush, type RunBrush, writeRange } from './run-rows.ts';

/** Everything the compare page shows, as it stands in the address. */
export type CompareState = {
  /** Experiment numbers, comma-separated. */
  experiments: string;
  /** Run numbers, comma-separated: only these runs. */
  runs: string;
  metric: string;
  /** Treatment id; empty: the first. */
  baseline: string;
  /** Ids of treatments left out. */
  hidden: readonly string[];
  /** What makes panels: '' as planned, 'none' for one panel, else a factor's id. */
  group: string;
  /** What takes colour and is held against the baseline: '' as planned, else a factor's id. */
  colour: string;
  /** Levels left out, each "factor=level". */
  without: readonly string[];
  /** Metrics drawn beside the response. */
  more: readonly string[];
  scale: 'linear' | 'log';
  unit: 'absolute' | 'baseline';
  /** Ids of treatments that stand out while the others fade. */
  marked: readonly string[];
  /** Runs with a failed verdict are taken in. */
  flagged: boolean;
  /** Runs that stand out because of what they measured. */
  brush: RunBrush | null;
  /** Seconds since measuring began: the stretch of the time series that is looked at. */
  window: BrushRange | null;
  /** All parameters, not only those that differ. */
  allParameters: boolean;
  /** Whose series is drawn. */
  role: Role;
  /** '': the usual one. */
  series: string;
};

/** The address without what has its default value; '' when all have. */
export function writeCompareState(state: CompareState): string {
  const params = new URLSearchParams();
  const put = (key: string, value: string, usual: string) => {
    if (value !== usual) params.set(key, value);
  };
  put('experiments', state.experiments, '');
  put('runs', state.runs, '');
  put('metric', state.metric, '');
  put('baseline', state.baseline, '');
  put('hide', state.hidden.join('|'), '');
  put('group', state.group, '');
  put('colour', state.colour, '');
  put('without', state.without.join('|'), '');
  put('more', state.more.join('|'), '');
  put('scale', state.scale, 'linear');
  put('unit', state.unit, 'absolute');
  put('marked', state.marked.join('|'), '');
  put('brush', state.brush ? `${state.brush.metric}:${writeRange(state.brush.range)}` : '', '');
  put('window', writeRange(state.window), '');
  put('flagged', state.flagged ? '1' : '', '');
  put('all', state.allParameters ? '1' : '', '');
  put('role', state.role, 'subscriber');
  put('series', state.series, '');
  return params.toString();
}

/** Reads an address; anything unknown or malformed falls back to its default. */
export function parseCompareState(search: string | URLSearchParams): CompareState {
  const params = new URLSearchParams(search);
  const list = (key: string) => (params.get(key) ?? '').split('|').filter(Boolean);
  return {
    experiments: readNumbers(params, 'experiments'),
    runs: readNumbers(params, 'runs'),
    metric: params.get('metric') ?? '',
    baseline: params.get('baseline') ?? '',
    hidden: list('hide'),
    group: params.get('group') ?? '',
    colour: params.get('colour') ?? '',
    without: list('without'),
    more: list('more'),
    scale: params.get('scale') === 'log' ? 'log' : 'linear',
    unit: params.get('unit') === 'baseline' ? 'baseline' : 'absolute',
    marked: list('marked'),
    brush: parseRunBrush(params.get('brush') ?? ''),
    window: parseRange(params.get('window') ?? ''),
    flagged: params.get('flagged') === '1',
    allParameters: params.get('all') === '1',
    role: readRole(params),
    series: params.get('series') ?? '',
  };
}
