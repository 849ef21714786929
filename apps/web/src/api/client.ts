import type { DeviceState } from '@mqttlab/shared/domain/devices/device-health';
import type { ExternalBroker, ExternalBrokerSettings } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { ComparedSeries, Comparison, WindowMean } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail, RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { DeviceSsh } from '@mqttlab/shared/messages/devices';
import type {
  BundleImport,
  CreateView,
  ExperimentAction,
  ExperimentList,
  ExperimentLog,
  PatchExperiment,
  PatchRun,
  PlanCheck,
  Preflight,
  Problem,
  TestbedStatus,
  Version,
  View,
} from '@mqttlab/shared/messages/http';
import type { SetAside } from '@mqttlab/shared/messages/set-aside';
import type { CreateShare, Share, SharedContent } from '@mqttlab/shared/messages/shares';
import type { CompareSeriesParams, CompareWindowParams } from './query-keys.ts';

/** What the server said was wrong (RFC 9457), or that it could not be reached. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

const unreachable: Problem = {
  type: 'about:blank',
  title: 'Server not reachable',
  status: 0,
  detail: 'The server did not answer. Nothing that was saved is lost.',
  remedy: 'Check that mqttlab is still running, then try again.',
  issues: [],
};

export async function request<T>(
  ...[method, path, body, signal]: [method: string, path: string, body?: unknown, signal?: AbortSignal]
): Promise<T> {
  const init: RequestInit = { method, headers: { accept: 'application/json' } };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, 'content-type': 'application/json' };
  }
  return send<T>(path, init);
}

/** A file as it is: a zip unless said otherwise. */
export async function upload<T>(path: string, file: Blob, type = 'application/zip'): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': type };
  return send<T>(path, { method: 'POST', headers, body: file });
}

async function send<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(`/api/v1${path}`, init).catch(() => {
    throw new ApiError(unreachable);
  });
  if (response.status === 204) return undefined as T;
  const text = await response.text();
  const parsed: unknown = text === '' ? null : safeParse(text);
  if (!response.ok) {
    throw new ApiError((parsed as Problem | null) ?? { ...unreachable, status: response.status });
  }
  return parsed as T;
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function query(params: Record<string, string | number | undefined>): string {
  const entries = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** role: null while nobody is logged in. */
export interface SessionState {
  loginRequired: boolean;
  role: 'viewer' | 'operator' | 'administrator' | null;
}

export interface ListParams {
  search?: string | undefined;
  status?: string | undefined;
  tag?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

export type DeviceStatus = TestbedStatus['devices'][number];

/** How far a report is: parts made, of how many. */
export interface ReportProgress {
  state: 'idle' | 'working' | 'ready';
  done: number;
  all: number;
}

/** Files behind the address of an experiment. */
export type DataFile = 'bundle.zip' | 'values.csv' | 'values.parquet' | 'samples.csv' | 'samples.parquet';

/** A device that is known, connected or not. */
export interface KnownDevice {
  id: string;
  name: string;
  role: DeviceStatus['role'];
  testbedId: string;
  online: boolean;
  state: DeviceState;
  /** Why it is not as it should be, in words. */
  reasons: string[];
  /** Last contact, Unix ms; null before its agent ever connected. */
  lastSeenAt: number | null;
  capabilities: DeviceStatus['capabilities'];
  /** null for the devices on the server's own machine. */
  ssh: DeviceSsh | null;
  /** Results of it that the server refused, oldest first. */
  setAside: SetAside[];
}

const brokerPath = (testbedId: string): string =>
  `/testbeds/${encodeURIComponent(testbedId)}/external-broker`;

/** Every call of the REST API that the page makes. All throw ApiError. */
export const api = {
  listExperiments: (params: ListParams = {}) =>
    request<ExperimentList>('GET', `/experiments${query({ ...params })}`),
  experiment: (id: number) => request<ExperimentDetail>('GET', `/experiments/${id}`),
  createExperiment: (draft?: ExperimentDraft) =>
    request<ExperimentDetail>('POST', '/experiments', draft ? { draft } : {}),
  saveDraft: (id: number, draft: ExperimentDraft) =>
    request<ExperimentDetail>('PUT', `/experiments/${id}/draft`, draft),
  patchExperiment: (id: number, change: PatchExperiment) =>
    request<ExperimentDetail>('PATCH', `/experiments/${id}`, change),
  /** clone answers with the new experiment, every other action with this one. */
  act: (id: number, action: ExperimentAction) =>
    request<ExperimentDetail>('POST', `/experiments/${id}/actions/${action}`),
  experimentLog: (id: number, before: number | null) =>
    request<ExperimentLog>('GET', `/experiments/${id}/log${query({ before: before ?? undefined })}`),
  deleteExperiment: (id: number) => request<void>('DELETE', `/experiments/${id}`),
  importPlan: (text: string, start = false) =>
    request<ExperimentDetail>('POST', '/experiments/import', { text, start }),
  /** A research bundle, sent as it is. */
  importBundle: ({ file, key }: { file: Blob; key: string }) =>
    upload<ExperimentDetail>(`/experiments/import-bundle?key=${encodeURIComponent(key)}`, file),
  listImports: () => request<{ items: BundleImport[] }>('GET', '/imports'),
  cancelImport: (key: string) => request<void>('DELETE', `/imports/${encodeURIComponent(key)}`),
  /** Address of the plan as a file. */
  storedUrl: (id: number) => `/api/v1/experiments/${id}/stored.ndjson`,
  planUrl: (id: number, format: 'yaml' | 'json') => `/api/v1/experiments/${id}/plan.${format}`,
  exportUrl: (id: number, format: 'csv' | 'json') => `/api/v1/experiments/${id}/runs.${format}`,
  /** Working out a report may take a while; hanging up ends it. */
  report: (id: number, flagged: boolean, signal: AbortSignal) =>
    request<Report>('GET', `/experiments/${id}/report?flagged=${flagged}`, undefined, signal),
  reportProgress: (id: number, flagged: boolean) =>
    request<ReportProgress>('GET', `/experiments/${id}/report/progress?flagged=${flagged}`),
  /** Address of the report as a file. */
  reportUrl: (id: number, format: 'html' | 'json', flagged: boolean) =>
    `/api/v1/experiments/${id}/report.${format}?flagged=${flagged}`,
  /** Address of what an experiment leaves to take away. */
  dataUrl: (id: number, file: DataFile) => `/api/v1/experiments/${id}/${file}`,
  startTour: () => request<ExperimentDetail>('POST', '/tour'),
  checkPlan: (draft: ExperimentDraft) => request<PlanCheck>('POST', '/plan/check', draft),
  testbeds: () => request<{ items: TestbedStatus[] }>('GET', '/testbeds'),
  devices: () => request<{ items: KnownDevice[] }>('GET', '/devices'),
  preflight: (testbedId: string, draft: ExperimentDraft) =>
    request<Preflight>('POST', `/testbeds/${encodeURIComponent(testbedId)}/preflight`, draft),
  setExternalBroker: (testbedId: string, settings: ExternalBrokerSettings) =>
    request<ExternalBroker>('PUT', brokerPath(testbedId), settings),
  removeExternalBroker: (testbedId: string) => request<void>('DELETE', brokerPath(testbedId)),
  run: (id: number) => request<RunDetail>('GET', `/runs/${id}`),
  patchRun: (id: number, change: PatchRun) => request<RunSummary>('PATCH', `/runs/${id}`, change),
  /** Address of the raw data of a run. */
  runUrl: (id: number, format: 'json' | 'csv') => `/api/v1/runs/${id}/raw.${format}`,
  compare: (params: { experiments?: string | undefined; runs?: string | undefined }) =>
    request<Comparison>('GET', `/compare${query(params)}`),
  compareSeries: (params: CompareSeriesParams) =>
    request<{ items: ComparedSeries[] }>('GET', `/compare/series${query(params)}`),
  compareWindow: (params: CompareWindowParams) =>
    request<{ items: WindowMean[] }>('GET', `/compare/window${query(params)}`),
  views: () => request<{ items: View[] }>('GET', '/views'),
  createView: (view: CreateView) => request<View>('POST', '/views', view),
  deleteView: (id: number) => request<void>('DELETE', `/views/${id}`),
  createShare: (share: CreateShare) => request<Share>('POST', '/shares', share),
  shares: () => request<{ items: Share[] }>('GET', '/shares'),
  revokeShare: (token: string) => request<void>('DELETE', `/shares/${token}`),
  shared: (token: string) => request<SharedContent>('GET', `/shared/${token}`),
  /** Address of the document that describes this API. */
  openApiUrl: '/api/v1/openapi.json',
  session: () => request<SessionState>('GET', '/session'),
  openSession: (token: string) => request<SessionState>('POST', '/session', { token }),
  version: () => request<Version>('GET', '/version'),
};
