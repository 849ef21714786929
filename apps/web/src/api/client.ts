import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { LogIn } from '@mqttlab/shared/messages/access';
import { addressOf, apiPrefix } from '@mqttlab/shared/messages/address';
import { ApiError, makeApiClient } from '@mqttlab/shared/messages/api-client';
import type {
  CreateView,
  ExperimentAction,
  PatchExperiment,
  PatchRun,
  TestbedStatus,
} from '@mqttlab/shared/messages/http';
import type { CreateShare, PreviewShare } from '@mqttlab/shared/messages/shares';
import type { CompareParams, CompareSeriesParams, CompareWindowParams, ListParams } from './query-keys.ts';

const unreachable = {
  title: 'Server not reachable',
  detail: 'The server did not answer. Everything saved is kept.',
  remedy: 'Check that mqttlab is still running, then try again.',
};

const client = makeApiClient({
  server: '',
  token: null,
  // A file of its own, asked for with the first call: the first page does not wait for it.
  loadEndpoints: async () => (await import('@mqttlab/shared/messages/api')).endpoints,
  unreachable: () => unreachable,
  withoutReason: () => unreachable,
  unknownForm: () =>
    new ApiError({
      type: 'about:blank',
      status: 0,
      issues: [],
      title: 'Unknown answer',
      detail: 'The page does not understand the server’s answer. Nothing that was saved is lost.',
      remedy: 'Reload the page, so that page and server have the same version.',
    }),
});

export const { call } = client;

export type DeviceStatus = TestbedStatus['devices'][number];

/** Files behind the address of an experiment. */
export type DataFile = 'clients.csv' | 'values.csv' | 'values.parquet' | 'samples.csv' | 'samples.parquet';

/** `altered`: whether figures that differ from the evidence are imported, marked. */
export type BundleToImport = { file: Blob; key: string; altered?: 'refuse' | 'accept' };

type RunOrLink = { id: number; token?: string | undefined };

const numbered = (id: number) => ({ params: { id } });

/** Calls of the REST API that more than one page makes, and addresses of files. All throw ApiError. */
export const api = {
  listExperiments: (query: ListParams = {}) => call('GET /experiments', { query: { ...query } }),
  /** With all its runs. */
  experiment: (id: number) => client.wholeExperiment(id),
  createExperiment: (draft?: ExperimentDraft) => call('POST /experiments', { body: draft ? { draft } : {} }),
  patchExperiment: (id: number, body: PatchExperiment) =>
    call('PATCH /experiments/{id}', { ...numbered(id), body }),
  /** clone answers with the new experiment, every other action with this one. */
  act: (id: number, action: ExperimentAction) =>
    call('POST /experiments/{id}/actions/{action}', { params: { id, action } }),
  experimentLog: (id: number, before: number | null) =>
    call('GET /experiments/{id}/log', { ...numbered(id), query: { before: before ?? undefined } }),
  deleteExperiment: (id: number) => call('DELETE /experiments/{id}', numbered(id)),
  importPlan: (text: string, start = false) => call('POST /experiments/import', { body: { text, start } }),
  /** A research bundle, sent as it is. */
  importBundle: ({ file, key, altered = 'refuse' }: BundleToImport) =>
    call('POST /experiments/import-bundle', { file, query: { key, altered } }),
  listImports: () => call('GET /imports'),
  cancelImport: (key: string) => call('DELETE /imports/{key}', { params: { key } }),
  bundleUrl: (id: number, packets: PacketChoice) =>
    addressOf('GET /experiments/{id}/bundle.zip', { ...numbered(id), query: { packets } }),
  keptPackets: (id: number) => call('GET /experiments/{id}/packets', numbered(id)),
  storedUrl: (id: number) => addressOf('GET /experiments/{id}/stored.ndjson', numbered(id)),
  planUrl: (id: number, format: 'yaml' | 'json') =>
    addressOf(`GET /experiments/{id}/plan.${format}`, numbered(id)),
  exportUrl: (id: number, format: 'csv' | 'json') =>
    addressOf(`GET /experiments/{id}/runs.${format}`, numbered(id)),
  /** Working out a report may take a while; closing the connection ends it. */
  report: (id: number, flagged: boolean, signal: AbortSignal) =>
    call('GET /experiments/{id}/report', { ...numbered(id), query: { flagged }, signal }),
  reportProgress: (id: number, flagged: boolean) =>
    call('GET /experiments/{id}/report/progress', { ...numbered(id), query: { flagged } }),
  reportUrl: (id: number, format: 'html' | 'json', flagged: boolean) =>
    addressOf(`GET /experiments/{id}/report.${format}`, { ...numbered(id), query: { flagged } }),
  dataUrl: (id: number, file: DataFile) => addressOf(`GET /experiments/{id}/${file}`, numbered(id)),
  startTour: () => call('POST /tour'),
  readPlan: (text: string) => call('POST /plan/read', { body: { text } }),
  checkPlan: (body: ExperimentDraft) => call('POST /plan/check', { body }),
  testbeds: () => call('GET /testbeds'),
  devices: () => call('GET /devices'),
  preflight: (id: string, body: ExperimentDraft) =>
    call('POST /testbeds/{id}/preflight', { params: { id }, body }),
  run: (id: number) => call('GET /runs/{id}', numbered(id)),
  patchRun: (id: number, body: PatchRun) => call('PATCH /runs/{id}', { ...numbered(id), body }),
  runUrl: (id: number, format: 'json' | 'csv') => addressOf(`GET /runs/{id}/raw.${format}`, numbered(id)),
  /** Of the run itself, or by the share link that shows it. */
  captureUrl: ({ id, token }: RunOrLink, device: string) =>
    token === undefined
      ? addressOf('GET /runs/{id}/capture.pcap', { ...numbered(id), query: { device } })
      : addressOf('GET /shared/{token}/capture.pcap', { params: { token }, query: { device } }),
  keyLogUrl: ({ id, token }: RunOrLink) =>
    token === undefined
      ? addressOf('GET /runs/{id}/keys.log', numbered(id))
      : addressOf('GET /shared/{token}/keys.log', { params: { token } }),
  compare: (query: CompareParams) => call('GET /compare', { query }),
  compareSeries: (query: CompareSeriesParams) => call('GET /compare/series', { query }),
  compareWindow: (query: CompareWindowParams) => call('GET /compare/window', { query }),
  views: () => call('GET /views'),
  createView: (body: CreateView) => call('POST /views', { body }),
  deleteView: (id: number) => call('DELETE /views/{id}', numbered(id)),
  previewShare: (body: PreviewShare) => call('POST /shares/preview', { body }),
  openShared: (token: string, password: string) =>
    call('POST /shared/{token}', { params: { token }, body: { password } }),
  createShare: (body: CreateShare) => call('POST /shares', { body }),
  shares: () => call('GET /shares'),
  revokeShare: (token: string) => call('DELETE /shares/{token}', { params: { token } }),
  shared: (token: string) => call('GET /shared/{token}', { params: { token } }),
  /** Address of the document that describes this API. */
  openApiUrl: `${apiPrefix}/openapi.json`,
  session: () => call('GET /session'),
  logIn: (body: LogIn) => call('POST /session', { body }),
  makeFirst: (body: { secret: string; name: string; password: string }) =>
    call('POST /accounts/first', { body }),
  version: () => call('GET /version'),
};
