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
  /** Runs with a failed verdict are taken in. */
  flagged: boolean;
  /** All parameters, not only those that differ. */
  allParameters: boolean;
  /** Whose series is drawn. */
  role: SeriesRole;
  series: string;
};

export const seriesRoles = ['broker', 'publisher', 'subscriber'] as const;
export type SeriesRole = (typeof seriesRoles)[number];

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
  put('flagged', state.flagged ? '1' : '', '');
  put('all', state.allParameters ? '1' : '', '');
  put('role', state.role, 'subscriber');
  put('series', state.series, 'latency.p50');
  return params.toString();
}

/** Reads an address; anything unknown or malformed falls back to its default. */
export function parseCompareState(search: string | URLSearchParams): CompareState {
  const params = new URLSearchParams(search);
  const numbers = (key: string) => {
    const text = params.get(key) ?? '';
    return /^\d{1,9}(,\d{1,9})*$/.test(text) ? text : '';
  };
  const role = seriesRoles.find((name) => name === params.get('role'));
  return {
    experiments: numbers('experiments'),
    runs: numbers('runs'),
    metric: params.get('metric') ?? '',
    baseline: params.get('baseline') ?? '',
    hidden: (params.get('hide') ?? '').split('|').filter(Boolean),
    flagged: params.get('flagged') === '1',
    allParameters: params.get('all') === '1',
    role: role ?? 'subscriber',
    series: params.get('series') ?? 'latency.p50',
  };
}
