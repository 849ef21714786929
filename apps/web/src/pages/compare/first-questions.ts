import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import { type Asked, ask } from '../../api/client.ts';

export type CompareParams = { experiments?: string | undefined; runs?: string | undefined };

export type CompareSeriesParams = CompareParams & {
  /** With `role`; absent: the series that is usually shown. */
  metric?: string | undefined;
  role?: string | undefined;
  flagged?: string | undefined;
};

/** Numbers with commas between, as an address carries them; '' for anything else. */
export function readNumbers(text: string): string {
  return /^\d{1,9}(,\d{1,9})*$/.test(text) ? text : '';
}

/** Roles that an address may name; anything else is the usual one. */
function readRole(params: URLSearchParams): Role {
  return roles.find((name) => name === params.get('role')) ?? 'subscriber';
}

type Compared = { experiments: string; runs: string };

/** What is compared, as the server is asked for it. */
export function comparisonQuestion({ experiments, runs }: Compared): CompareParams {
  return { experiments: experiments || undefined, runs: runs || undefined };
}

/** The series that is drawn; without a choice the server takes the usual one. */
export function seriesQuestion(
  state: Compared & { role: Role; series: string; flagged: boolean },
): CompareSeriesParams {
  const chosen = state.series ? { role: state.role, metric: state.series } : {};
  return { ...comparisonQuestion(state), ...chosen, flagged: state.flagged ? 'true' : 'false' };
}

/** What the compare page at an address asks at once. */
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
