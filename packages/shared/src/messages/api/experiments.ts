import * as z from 'zod';
import { experimentDraftSchema } from '../../domain/plans/experiment-draft.ts';
import { trialSchema } from '../../domain/plans/plan.ts';
import { reportSchema } from '../../domain/report/report.ts';
import { keptPacketsSchema, packetChoices } from '../../domain/runs/capture.ts';
import { comparedSeriesSchema, comparisonSchema, windowMeanSchema } from '../../domain/runs/comparison.ts';
import { experimentDetailSchema } from '../../domain/runs/experiment.ts';
import { logLineSchema } from '../../domain/runs/role-result.ts';
import { runDetailSchema, runRowSchema, runSummarySchema } from '../../domain/runs/run.ts';
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
    /** "true" takes flagged runs in. */
    flagged: z.enum(['true', 'false']).default('false'),
  }),
} as const;
/** By the name of the device, where several captured; absent: the first. */
const importKey = z.string().min(1).max(64);
const parquet = 'application/vnd.apache.parquet';

/** How far a report is: parts made, of how many. */
const reportProgressSchema = z.strictObject({
  state: z.enum(['idle', 'working', 'ready']),
  done: z.int(),
  all: z.int(),
});

/** Experiments with their plans, runs, comparisons and reports. */
export const experimentEndpoints = {
  'POST /plan/check': viewer('Say what a draft would become: issues, treatments, cost, resolution', {
    asks: true,
    body: experimentDraftSchema,
    response: http.planCheckSchema,
  }),
  'POST /plan/read': viewer('Fill in what a plan file leaves out, and say what it would become', {
    asks: true,
    body: http.readPlanSchema,
    response: http.filledPlanSchema,
  }),
  'GET /plan.schema.json': open('JSON Schema of plan files, for editors', { response: document }),
  'POST /experiments/import': operator('Make an experiment of a plan file, YAML or JSON', {
    body: http.importPlanSchema,
    ...madeOnce,
  }),
  'GET /experiments/{id}/plan.yaml': viewer('Export the plan as YAML, to keep and to import', {
    ...numbered,
    file: yaml,
  }),
  'GET /experiments/{id}/plan.json': viewer('Export the plan as JSON, to keep and to import', {
    ...numbered,
    file: json,
  }),
  'GET /experiments/{id}/values.csv': viewer('Save one row for each run and metric as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/values.parquet': viewer('Save one row for each run and metric as Parquet', {
    ...numbered,
    file: parquet,
  }),
  'GET /experiments/{id}/samples.csv': viewer('Save one row for each sample as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/samples.parquet': viewer('Save one row for each sample as Parquet', {
    ...numbered,
    file: parquet,
  }),
  'GET /experiments/{id}/bundle.zip': viewer(
    'Save everything of a finished experiment as a research bundle (RO-Crate 1.2), signed',
    {
      ...numbered,
      query: z.strictObject({ packets: z.enum(packetChoices).default('none') }),
      file: 'application/zip',
    },
  ),
  'GET /experiments/{id}/packets': viewer(
    'Say how many packet captures and key logs the runs of an experiment keep',
    { ...numbered, response: keptPacketsSchema },
  ),
  'GET /experiments/{id}/stored.ndjson': viewer(
    'Save what is stored of an experiment, row by row, also where it cannot be read any more',
    { ...numbered, file: 'application/x-ndjson' },
  ),
  'POST /experiments/import-bundle': operator(
    'Import a research bundle, sent as it is with "Content-Type: application/zip"',
    {
      query: z.strictObject({
        key: importKey.optional(),
        /** Whether a bundle whose figures are not those of its evidence is imported, marked as altered. */
        altered: z.enum(['refuse', 'accept']).default('refuse'),
      }),
      ...newExperiment,
    },
  ),
  'GET /imports': viewer('Bundles that are being imported, with how far each is', {
    response: itemsOf(bundleImportSchema),
  }),
  'DELETE /imports/{key}': operator('Cancel an import; nothing of it is kept', {
    params: z.strictObject({ key: importKey }),
  }),
  'GET /experiments': viewer('List experiments, newest first', {
    query: http.experimentListQuerySchema,
    response: http.experimentListSchema,
  }),
  'POST /experiments': operator('Make an experiment; without a draft, an empty one', {
    body: http.createExperimentSchema,
    ...madeOnce,
  }),
  'POST /tour': operator('Make and start the tour experiment', madeOnce),
  'POST /client-matrix': operator(
    'Make and start the experiment that tries what each client can do; without a testbed, on the first one',
    { body: z.strictObject({ testbedId: z.string().max(80).optional() }), ...madeOnce },
  ),
  'GET /experiments/{id}/clients.csv': viewer(
    'Save what each client can do, one row for each combination tried or refused, as CSV',
    { ...numbered, file: csv },
  ),
  'GET /experiments/{id}': viewer(
    'Read an experiment with its plan, the first page of its trials and the first page of its runs',
    { ...numbered, ...experiment },
  ),
  'GET /experiments/{id}/trials': viewer('List the trials of the plan in their order, page by page', {
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
  'PUT /experiments/{id}/draft': operator('Save the draft; only before the start', {
    ...numbered,
    /** ETag of the draft that was changed; another one here by now is not overwritten (412). */
    headers: z.object({ 'if-match': z.string().max(200).optional() }),
    body: experimentDraftSchema,
    ...experiment,
  }),
  'PATCH /experiments/{id}': operator('Change name, tags or notes at any time', {
    ...numbered,
    body: http.patchExperimentSchema,
    ...experiment,
  }),
  'DELETE /experiments/{id}': operator('Delete an experiment; the action "restore" brings it back', numbered),
  'POST /experiments/{id}/actions/{action}': operator(
    'Start, pause, resume, stop, cancel, run failed or flagged trials again, clone or restore; clone answers with the new experiment',
    { params: z.strictObject({ id: idParam, action: z.enum(http.experimentActions) }), ...experiment },
  ),
  'GET /experiments/{id}/runs': viewer('List the runs of an experiment, newest first, page by page', {
    ...numbered,
    query: pageQuery,
    response: pageOf(runSummarySchema),
  }),
  'GET /experiments/{id}/runs.csv': viewer('Save every run with its levels and metrics as CSV', {
    ...numbered,
    file: csv,
  }),
  'GET /experiments/{id}/runs.json': viewer(
    'Save the plan, every run with its metrics and verdicts, and what they say, as JSON',
    { ...numbered, file: json },
  ),
  'GET /experiments/{id}/contrasts.csv': viewer(
    'Save what each treatment costs against its baseline, for every metric, as CSV',
    { ...numbered, file: csv },
  ),
  'GET /runs/{id}': viewer('Read a run with everything its devices reported', {
    ...numbered,
    response: runDetailSchema,
  }),
  'GET /runs/{id}/raw.json': viewer('Save everything of a run as JSON', { ...numbered, file: json }),
  'GET /runs/{id}/raw.csv': viewer('Save the series of a run as CSV, one line for each sample', {
    ...numbered,
    file: csv,
  }),
  'GET /runs/{id}/capture.pcap': viewer('Save the packets captured at the broker of a run', {
    ...numbered,
    query: runFileQuery,
    file: 'application/vnd.tcpdump.pcap',
  }),
  'GET /runs/{id}/keys.log': operator(
    'Save the TLS keys of the clients of a run, with which Wireshark decrypts its capture: a secret',
    { ...numbered, file: 'text/plain' },
  ),
  'GET /runs/{id}/log': viewer('Read the log of a run: server, broker and agents, by time', {
    ...numbered,
    response: itemsOf(logLineSchema),
  }),
  'GET /experiments/{id}/log': viewer(
    'Read the log of an experiment and its runs, newest first, page by page',
    { ...numbered, query: experimentLogQuerySchema, response: experimentLogSchema },
  ),
  'PATCH /runs/{id}': operator(
    'Write notes and tags on a run, or leave it out of analysis with a reason; null includes it again',
    { ...numbered, body: http.patchRunSchema, response: runSummarySchema },
  ),
  'POST /runs/{id}/meter': operator('Put the CSV of a power meter beside a run, aligned by time', {
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
  'GET /compare/series': viewer('One series of each treatment: mean over runs with a 95 % interval', {
    query: http.compareSeriesQuerySchema,
    response: itemsOf(comparedSeriesSchema),
  }),
  'GET /compare/window': viewer(
    'Mean of one series inside a stretch of time, for each treatment: over runs with a 95 % interval',
    { query: http.compareWindowQuerySchema, response: itemsOf(windowMeanSchema) },
  ),
  'GET /experiments/{id}/report': viewer(
    'Read the report of an experiment; worked out on the first call, ended by closing the connection',
    { ...reportOf, response: reportSchema },
  ),
  'GET /experiments/{id}/report.json': viewer('Save the numbers of the report as JSON', {
    ...reportOf,
    file: json,
  }),
  'GET /experiments/{id}/report.html': viewer('Save the report as one HTML file that needs nothing else', {
    ...reportOf,
    file: 'text/html',
  }),
  'GET /experiments/{id}/report/progress': viewer('How far the report of an experiment is', {
    ...reportOf,
    response: reportProgressSchema,
  }),
};

export type ReportProgress = z.infer<typeof reportProgressSchema>;
