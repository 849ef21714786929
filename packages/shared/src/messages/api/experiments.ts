import * as z from 'zod';
import { experimentDraftSchema } from '../../domain/plans/experiment-draft.ts';
import { trialSchema } from '../../domain/plans/plan.ts';
import { reportSchema } from '../../domain/report/report.ts';
import { keptPacketsSchema, packetChoices } from '../../domain/runs/capture.ts';
import { comparedSeriesSchema, comparisonSchema, windowMeanSchema } from '../../domain/runs/comparison.ts';
import { experimentDetailSchema } from '../../domain/runs/experiment.ts';
import { logLineSchema } from '../../domain/runs/role-result.ts';
import { runDetailSchema, runRowSchema, runSummarySchema } from '../../domain/runs/run.ts';
import { importForeignSchema } from '../foreign.ts';
import * as http from '../http.ts';
import { bundleImportSchema, experimentLogQuerySchema, experimentLogSchema } from '../http.ts';
import { meterQuerySchema, meterUploadSchema } from '../meter.ts';
import {
  csv,
  document,
  idParam,
  itemsOf,
  json,
  numbered,
  once,
  open,
  operator,
  pageOf,
  pageQuery,
  rowQuery,
  runFileQuery,
  viewer,
  yaml,
} from './endpoint.ts';

const experiment = { response: experimentDetailSchema } as const;
const newExperiment = { response: experimentDetailSchema, status: 201 } as const;
const madeOnce = { ...newExperiment, ...once } as const;
const reportOf = {
  ...numbered,
  query: z.strictObject({
    /** "true" includes flagged runs. */
    flagged: z.enum(['true', 'false']).default('false'),
  }),
} as const;
/** Name of the device if several devices captured packets; by default, the first one. */
const importKey = z.string().min(1).max(64);
const parquet = 'application/vnd.apache.parquet';

/** Progress of a report: number of finished parts, and total number of parts. */
const reportProgressSchema = z.strictObject({
  state: z.enum(['idle', 'working', 'ready']),
  done: z.int(),
  all: z.int(),
});

/** Experiments with their plans, runs, comparisons and reports. */
export const experimentEndpoints = {
  'POST /plan/check': viewer('Check a draft: returns issues, treatments, cost and resolution', {
    asks: true,
    body: experimentDraftSchema,
    response: http.planCheckSchema,
  }),
  'POST /plan/read': viewer(
    'Complete and check a plan file: fills in defaults and returns the same response as a draft check',
    { asks: true, takesDocument: true, body: http.readPlanSchema, response: http.filledPlanSchema },
  ),
  'GET /plan.schema.json': open('JSON Schema of plan files, for editors', { response: document }),
  'POST /experiments/import': operator('Create an experiment from a plan file in YAML or JSON', {
    /** "true" starts the experiment, like `start` in the body. */
    query: z.strictObject({ start: z.enum(['true', 'false']).default('false') }),
    takesDocument: true,
    body: http.importPlanSchema,
    ...madeOnce,
  }),
  'GET /experiments/{id}/plan.yaml': viewer('Export the plan as YAML for import', {
    ...numbered,
    file: yaml,
  }),
  'GET /experiments/{id}/plan.json': viewer('Export the plan as JSON for import', {
    ...numbered,
    file: json,
  }),
  'GET /experiments/{id}/values.csv': viewer('Download one row per run and metric as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/values.parquet': viewer('Download one row per run and metric as Parquet', {
    ...numbered,
    file: parquet,
  }),
  'GET /experiments/{id}/samples.csv': viewer('Download one row per sample as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/samples.parquet': viewer('Download one row per sample as Parquet', {
    ...numbered,
    file: parquet,
  }),
  'GET /experiments/{id}/bundle.zip': viewer(
    'Download a finished experiment as a signed research bundle (RO-Crate 1.2)',
    {
      ...numbered,
      query: z.strictObject({ packets: z.enum(packetChoices).default('none') }),
      file: 'application/zip',
    },
  ),
  'GET /experiments/{id}/packets': viewer("Count the packet captures and key logs of an experiment's runs", {
    ...numbered,
    response: keptPacketsSchema,
  }),
  'GET /experiments/{id}/stored.ndjson': viewer(
    'Download the stored rows of an experiment, including unreadable ones',
    { ...numbered, file: 'application/x-ndjson' },
  ),
  'POST /experiments/import-bundle': operator(
    'Import a research bundle, sent unchanged with "Content-Type: application/zip"',
    {
      query: z.strictObject({
        key: importKey.optional(),
        /** Whether to import a bundle whose values differ from its evidence; it is then marked as altered. */
        altered: z.enum(['refuse', 'accept']).default('refuse'),
      }),
      ...newExperiment,
    },
  ),
  'POST /experiments/import-foreign': operator(
    'Import measurements from another tool as an experiment marked as foreign',
    { body: importForeignSchema, ...newExperiment },
  ),
  'GET /imports': viewer('List active bundle imports with their progress', {
    response: itemsOf(bundleImportSchema),
  }),
  'DELETE /imports/{key}': operator('Cancel an import and discard its data', {
    params: z.strictObject({ key: importKey }),
  }),
  'GET /experiments': viewer('List experiments, newest first', {
    query: http.experimentListQuerySchema,
    response: http.experimentListSchema,
  }),
  'POST /experiments': operator('Create an experiment; it is empty if no draft is given', {
    body: http.createExperimentSchema,
    ...madeOnce,
  }),
  'POST /tour': operator('Create and start the tour experiment', madeOnce),
  'POST /client-matrix': operator(
    "Create and start the experiment that tests each client's capabilities; by default on the first testbed",
    { body: z.strictObject({ testbedId: z.string().max(80).optional() }), ...madeOnce },
  ),
  'GET /experiments/{id}/clients.csv': viewer(
    "Download each client's capabilities as CSV, one row per tested or refused combination",
    { ...numbered, file: csv },
  ),
  'GET /experiments/{id}': viewer(
    'Read an experiment with its plan, the first page of its trials and the first page of its runs',
    { ...numbered, ...experiment },
  ),
  'GET /experiments/{id}/trials': viewer('List the trials of the plan in order, page by page', {
    ...numbered,
    query: rowQuery,
    response: pageOf(trialSchema),
  }),
  'GET /experiments/{id}/rows': viewer(
    'List the runs of an experiment in short form, oldest first, page by page',
    { ...numbered, query: rowQuery, response: pageOf(runRowSchema) },
  ),
  'GET /experiments/{id}/draft': viewer('Read the draft, with its ETag', {
    ...numbered,
    response: experimentDraftSchema,
  }),
  'PUT /experiments/{id}/draft': operator('Save the draft; only possible before the experiment is started', {
    ...numbered,
    /**
     * ETag of the draft that was changed. If the ETag of the stored draft differs, it is not overwritten
     * (412).
     */
    headers: z.object({ 'if-match': z.string().max(200).optional() }),
    body: experimentDraftSchema,
    ...experiment,
  }),
  'PATCH /experiments/{id}': operator('Change name, tags or notes at any time', {
    ...numbered,
    body: http.patchExperimentSchema,
    ...experiment,
  }),
  'DELETE /experiments/{id}': operator(
    'Delete an experiment; use the action "restore" to restore it',
    numbered,
  ),
  'POST /experiments/{id}/actions/{action}': operator(
    'Start, pause, resume, stop, cancel, retry failed or flagged trials, clone or restore; clone returns the new experiment',
    { params: z.strictObject({ id: idParam, action: z.enum(http.experimentActions) }), ...experiment },
  ),
  'GET /experiments/{id}/runs': viewer('List the runs of an experiment, newest first, page by page', {
    ...numbered,
    query: pageQuery,
    response: pageOf(runSummarySchema),
  }),
  'GET /experiments/{id}/runs.csv': viewer('Download all runs with their levels and metrics as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/runs.json': viewer(
    'Download the plan, all runs with their metrics and verdicts, and the findings as JSON',
    { ...numbered, file: json },
  ),
  'GET /experiments/{id}/contrasts.csv': viewer(
    'Download the contrast of each treatment with its baseline, for every metric, as CSV',
    { ...numbered, file: csv },
  ),
  'GET /runs/{id}': viewer('Read a run with all reports from its devices', {
    ...numbered,
    response: runDetailSchema,
  }),
  'GET /runs/{id}/raw.json': viewer('Download all data of a run as JSON', { ...numbered, file: json }),
  'GET /runs/{id}/raw.csv': viewer('Download the series of a run as CSV, one line per sample', {
    ...numbered,
    file: csv,
  }),
  'GET /runs/{id}/capture.pcap': viewer("Download the packets captured at a run's broker", {
    ...numbered,
    query: runFileQuery,
    file: 'application/vnd.tcpdump.pcap',
  }),
  'GET /runs/{id}/keys.log': operator(
    "Download the TLS keys of a run's clients, with which Wireshark can decrypt the capture; the keys are secret",
    { ...numbered, file: 'text/plain' },
  ),
  'GET /runs/{id}/log': viewer("Read a run's log: server, broker and agents, ordered by time", {
    ...numbered,
    response: itemsOf(logLineSchema),
  }),
  'GET /experiments/{id}/log': viewer(
    'Read the log of an experiment and its runs, newest first, page by page',
    { ...numbered, query: experimentLogQuerySchema, response: experimentLogSchema },
  ),
  'PATCH /runs/{id}': operator(
    'Change the notes and tags of a run, or exclude it from analysis with a reason; a null reason includes it again',
    { ...numbered, body: http.patchRunSchema, response: runSummarySchema },
  ),
  'POST /runs/{id}/meter': operator('Add a CSV file from a power meter to a run, aligned by time', {
    ...numbered,
    query: meterQuerySchema,
    body: z.string(),
    bodyType: csv,
    response: meterUploadSchema,
    status: 201,
  }),
  'GET /compare': viewer('Compare the treatments of experiments or of single runs', {
    query: http.compareQuerySchema,
    response: comparisonSchema,
  }),
  'GET /compare/series': viewer(
    'Read one series for each treatment: the mean over runs with its 95 % interval',
    { query: http.compareSeriesQuerySchema, response: itemsOf(comparedSeriesSchema) },
  ),
  'GET /compare/window': viewer(
    'Read the mean of one series in a time window for each treatment, averaged over runs, with its 95 % interval',
    { query: http.compareWindowQuerySchema, response: itemsOf(windowMeanSchema) },
  ),
  'GET /experiments/{id}/report': viewer(
    "Read an experiment's report; it is computed on the first call, and closing the connection cancels the computation",
    { ...reportOf, response: reportSchema },
  ),
  'GET /experiments/{id}/report.json': viewer('Download the data of the report as JSON', {
    ...reportOf,
    file: json,
  }),
  'GET /experiments/{id}/report.html': viewer('Download the report as a self-contained HTML file', {
    ...reportOf,
    file: 'text/html',
  }),
  'GET /experiments/{id}/report/progress': viewer("Read the progress of an experiment's report", {
    ...reportOf,
    response: reportProgressSchema,
  }),
};

export type ReportProgress = z.infer<typeof reportProgressSchema>;
