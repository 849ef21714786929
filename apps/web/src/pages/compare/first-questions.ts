import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import { type Asked, ask } from '../../api/client.ts';

export type CompareParams = { experiments?: string | undefined; runs?: string | undefined };

export type CompareSeriesParams = CompareParams & {
  /** Series of `role`; if absent, the default series. */
  metric?: string | undefined;
  role?: string | undefined;
  flagged?: string | undefined;
};

/** Returns comma-separated numbers from an address; '' for any other text. */
export function readNumbers(text: string): string {
  return /^\d{1,9}(,\d{1,9})*$/.test(text) ? text : '';
}

/** Returns the role named in the address; the subscriber by default. */
function readRole(params: URLSearchParams): Role {
  return roles.find((name) => name === params.get('role')) ?? 'subscriber';
}

type Compared = { experiments: string; runs: string };

/** Returns the query of `GET /compare`. */
export function comparisonQuestion({ experiments, runs }: Compared): CompareParams {
  return { experiments: experiments || undefined, runs: runs || undefined };
}

/** Returns the query of the displayed series. If none is selected, the server returns the default series. */
export function seriesQuestion(
  state: Compared & { role: Role; series: string; flagged: boolean },
): CompareSeriesParams {
  const chosen = state.series ? { role: state.role, metric: state.series } : {};
  return { ...comparisonQuestion(state), ...chosen, flagged: state.flagged ? 'true' : 'false' };
}

/** Returns the first requests of the compare page at an address. */
export function askComparison(params: URLSearchParams): Asked[] {
  const numbers = (name: string) => readNumbers(params.get(name) ?? '');
  const set = { experiments: numbers('experiments'), runs: numbers('runs') };
  if (set.experiments === '' && set.runs === '') return [];
  const drawn = seriesQuestion({
    ...set,
    role: readRole(params),
    series: params.get('series') ?? '',
    flagged: params.get('flagged') === '1',
  });
  return [
    ask('GET /compare', { query: comparisonQuestion(set) }),
    ask('GET /compare/series', { query: drawn }),
  ];
}
