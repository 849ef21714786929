import type { Report } from '@mqttlab/shared/domain/report/report';
import type { ComparedSeries, Comparison, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { SessionState } from '@mqttlab/shared/messages/access';
import type { ReportProgress } from '@mqttlab/shared/messages/api/experiments';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import type { ExperimentList, TestbedStatus, Version, View } from '@mqttlab/shared/messages/http';
import type { Share, SharedContent } from '@mqttlab/shared/messages/shares';
import { keepPreviousData, skipToken, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api } from './client.ts';
import {
  type CompareParams,
  type CompareSeriesParams,
  type CompareWindowParams,
  type ListParams,
  queryKeys,
} from './query-keys.ts';

type Result<Data> = UseQueryResult<Data, ApiError>;

/** The cache holds what the server answered, `items` and all, as the live connection expects. */
function itemsOf<Item>({ items }: { items: Item[] }): Item[] {
  return items;
}

/** Keeps the rows on screen while a changed filter loads. */
export function useExperiments(params: ListParams = {}): Result<ExperimentList> {
  return useQuery({
    queryKey: queryKeys.experiments(params),
    queryFn: () => api.listExperiments(params),
    placeholderData: keepPreviousData,
  });
}

/** null asks for nothing: for addresses that carry no number. */
export function useExperiment(id: number | null): Result<ExperimentDetail> {
  return useQuery({
    queryKey: queryKeys.experiment(id ?? 0),
    queryFn: id === null ? skipToken : () => api.experiment(id),
  });
}

export function useTestbeds(): Result<TestbedStatus[]> {
  return useQuery({ queryKey: queryKeys.testbeds, queryFn: api.testbeds, select: itemsOf });
}

/** With the time of the last contact, which testbeds do not tell. */
export function useDevices(): Result<KnownDevice[]> {
  return useQuery({ queryKey: queryKeys.devices, queryFn: api.devices, select: itemsOf });
}

export function useRun(id: number | null): Result<RunDetail> {
  return useQuery({ queryKey: queryKeys.run(id ?? 0), queryFn: id === null ? skipToken : () => api.run(id) });
}

/** Leaving the page aborts the call, and with it the work. */
export function useReport(id: number | null, flagged: boolean): Result<Report> {
  return useQuery({
    queryKey: queryKeys.report(id ?? 0, flagged),
    queryFn: id === null ? skipToken : ({ signal }) => api.report(id, flagged, signal),
    staleTime: 0,
  });
}

/** Asked for twice a second while a report is being made. */
export function useReportProgress(id: number, flagged: boolean): Result<ReportProgress> {
  return useQuery({
    queryKey: queryKeys.reportProgress(id, flagged),
    queryFn: () => api.reportProgress(id, flagged),
    refetchInterval: 500,
  });
}

/** Asks for nothing while neither experiments nor runs are named. */
export function useComparison(params: CompareParams): Result<Comparison> {
  const isNamed = Boolean(params.experiments || params.runs);
  return useQuery({
    queryKey: queryKeys.compare(params),
    queryFn: isNamed ? () => api.compare(params) : skipToken,
    placeholderData: keepPreviousData,
  });
}

/** null asks for nothing: for pages that do not show a time series now. */
export function useComparedSeries(params: CompareSeriesParams | null): Result<ComparedSeries[]> {
  return useQuery({
    queryKey: params ? queryKeys.compareSeries(params) : ['compare', 'series', null],
    queryFn: params ? () => api.compareSeries(params) : skipToken,
    select: itemsOf,
    placeholderData: keepPreviousData,
  });
}

/** null asks for nothing: no stretch of time is chosen. */
export function useComparedWindow(params: CompareWindowParams | null): Result<WindowMean[]> {
  return useQuery({
    queryKey: params ? queryKeys.compareWindow(params) : ['compare', 'window', null],
    queryFn: params ? () => api.compareWindow(params) : skipToken,
    select: itemsOf,
    placeholderData: keepPreviousData,
  });
}

export function useViews(): Result<View[]> {
  return useQuery({ queryKey: queryKeys.views, queryFn: api.views, select: itemsOf });
}

export function useShares(): Result<Share[]> {
  return useQuery({ queryKey: queryKeys.shares, queryFn: api.shares, select: itemsOf });
}

/** Read-only and without a live channel: while it still runs it is asked for again every 2 s. */
export function useSharedContent(token: string): Result<SharedContent> {
  return useQuery({
    queryKey: queryKeys.shared(token),
    queryFn: () => api.shared(token),
    refetchInterval: ({ state }) => (state.data?.live ? 2000 : false),
  });
}

export function useVersion(): Result<Version> {
  return useQuery({
    queryKey: queryKeys.version,
    queryFn: () => api.version(),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useSession(): Result<SessionState> {
  return useQuery({ queryKey: queryKeys.session, queryFn: api.session, staleTime: 60_000 });
}
