import type { QueryKey } from '@tanstack/react-query';

export interface ListParams {
  search?: string | undefined;
  status?: string | undefined;
  tag?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

export type CompareParams = { experiments?: string | undefined; runs?: string | undefined };

export type CompareSeriesParams = CompareParams & {
  /** With `role`; absent: the series that is usually looked at. */
  metric?: string | undefined;
  role?: string | undefined;
  flagged?: string | undefined;
};

/** ms since measuring began. */
export type CompareWindowParams = CompareSeriesParams & { from: number; to: number };

/** Keys of everything kept of the server; the live connection and the mutations name them too. */
export const queryKeys = {
  /** Every list of experiments, whatever its filter. */
  experimentLists: ['experiments'] as const,
  experiments: (params: ListParams) => ['experiments', params] as const,
  experiment: (id: number) => ['experiment', id] as const,
  experimentLog: (id: number) => ['experiment', id, 'log'] as const,
  report: (id: number, flagged: boolean) => ['experiment', id, 'report', flagged] as const,
  reportProgress: (id: number, flagged: boolean) => ['report progress', id, flagged] as const,
  testbeds: ['testbeds'] as const,
  devices: ['devices'] as const,
  run: (id: number) => ['run', id] as const,
  /** Every comparison and every compared series. */
  compareAll: ['compare'] as const,
  compare: (params: CompareParams) => ['compare', params] as const,
  compareSeries: (params: CompareSeriesParams) => ['compare', 'series', params] as const,
  compareWindow: (params: CompareWindowParams) => ['compare', 'window', params] as const,
  shares: ['shares'] as const,
  views: ['views'] as const,
  shared: (token: string) => ['shared', token] as const,
  version: ['version'] as const,
  session: ['session'] as const,
};

/** A question that was put to the server while the code that will use its answer was still loading. */
export type Asked = { queryKey: QueryKey; answer: Promise<unknown> };
