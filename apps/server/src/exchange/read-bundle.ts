import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { metrics, summariseMetrics } from '@mqttlab/shared/catalogue/metrics';
import { judgeRun } from '@mqttlab/shared/catalogue/verdicts';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type Plan, planSchema } from '@mqttlab/shared/domain/plans/plan';
import { deliveriesOf, isCoap, type TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { type RunSummary, runName } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { RunEvidence } from '@mqttlab/shared/domain/runs/verdict';
import { checkPlan } from '@mqttlab/shared/planning/check-plan';
import * as z from 'zod';
import {
  type BundledExperiment,
  type BundledFile,
  type BundledRun,
  bundledExperimentSchema,
  bundledRunSchema,
  bundleFiles,
  bundleVersion,
  fingerprintOf,
  isSignedBy,
  readPacketPath,
  runFileOf,
} from './bundle-format.ts';
import { type OpenZip, refuse, refuseValue } from './read-zip.ts';

interface OpenBundle {
  experiment: BundledExperiment;
  plan: Plan;
  /** Fingerprint of the key with which the bundle was signed. */
  fingerprint: string;
  /** Resolves with null for a run without results. */
  readRun(runId: number): Promise<BundledRun | null>;
  /** Resolves with packets and keys, if they are included. */
  readFiles(runId: number): Promise<BundledFile[]>;
}

/** Files next to the manifest that describe it or sign it. */
const unlisted: readonly string[] = [
  bundleFiles.metadata,
  bundleFiles.manifest,
  bundleFiles.signature,
  bundleFiles.signer,
];

/** Receives the number of files with a verified checksum, and the total number. */
type Progress = (done: number, all: number) => void;

const versionSchema = z.object({ bundleVersion: z.number() });

/**
 * Verifies every checksum and the signature, then parses the bundle. Rejects with a 422 problem that
 * describes the error.
 */
export async function readBundle(zip: OpenZip, onProgress: Progress = () => {}): Promise<OpenBundle> {
  const paths = new Set(zip.paths());
  for (const path of [bundleFiles.manifest, bundleFiles.experiment, bundleFiles.plan]) {
    if (!paths.has(path)) {
      throw refuse(
        `it has no ${path}, so it is not an mqttlab bundle`,
        'Choose a file that "export --bundle" wrote.',
      );
    }
  }
  await checkVersion(zip);
  const fingerprint = await checkSignature(zip);
  await checkSums(zip, paths, onProgress);
  const experiment = parseFile(
    bundledExperimentSchema,
    bundleFiles.experiment,
    await zip.read(bundleFiles.experiment),
  );
  const plan = parseFile(planSchema, bundleFiles.plan, await zip.read(bundleFiles.plan));
  const [wrong] = checkPlan(plan);
  if (wrong) throw refuseValue(bundleFiles.plan, wrong);
  checkRuns(experiment, plan);
  const packets = Map.groupBy(paths, (path) => readPacketPath(path)?.runId);
  return {
    experiment,
    plan,
    fingerprint,
    async readRun(runId) {
      const path = runFileOf(runId);
      return paths.has(path) ? parseFile(bundledRunSchema, path, await zip.read(path)) : null;
    },
    async readFiles(runId) {
      const files: BundledFile[] = [];
      for (const path of packets.get(runId) ?? []) {
        const bytes = await zip.read(path);
        const found = readPacketPath(path);
        if (bytes.length > maxCaptureBytes) throw refuse(`"${path}" is larger than any capture`);
        if (found !== null && bytes.length > 0) files.push({ name: found.name, device: found.device, bytes });
      }
      return files;
    },
  };
}

async function checkVersion(zip: OpenZip): Promise<void> {
  const found = parseFile(versionSchema, bundleFiles.experiment, await zip.read(bundleFiles.experiment));
  if (found.bundleVersion > bundleVersion) {
    throw refuse(
      `it has version ${found.bundleVersion}, but this version of mqttlab only supports versions up to ${bundleVersion}`,
      'Update mqttlab, or export the bundle with an older version.',
    );
  }
}

async function checkSignature(zip: OpenZip): Promise<string> {
  const [manifest, signature, signer] = await Promise.all(
    [bundleFiles.manifest, bundleFiles.signature, bundleFiles.signer].map((path) => zip.read(path)),
  );
  const pem = signer?.toString('utf8') ?? '';
  if (!manifest || !signature || !isSignedBy(pem, manifest, signature)) {
    throw refuse('its signature does not match its list of checksums: it was altered');
  }
  return fingerprintOf(pem);
}

async function checkSums(zip: OpenZip, paths: ReadonlySet<string>, onProgress: Progress): Promise<void> {
  const listed = new Map(
    (await zip.read(bundleFiles.manifest))
      .toString('utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  for (const path of paths) {
    if (!listed.has(path) && !unlisted.includes(path))
      throw refuse(`"${path}" is not in its list of checksums`);
  }
  let done = 0;
  for (const [path, sum] of listed) {
    onProgress(done, listed.size);
    done += 1;
    if ((await zip.sha256(path)) !== sum)
      throw refuse(`"${path}" does not have the checksum that it was exported with`);
  }
}

function checkRuns({ runs }: BundledExperiment, plan: Plan): void {
  const keys = new Set(plan.treatments.map(({ key }) => key));
  const numbers = new Set(plan.trials.map(({ number }) => number));
  const ids = new Set(runs.map(({ id }) => id));
  const refuseRun = (field: string, reason: string) => refuseValue(bundleFiles.experiment, { field, reason });
  if (ids.size < runs.length) throw refuseRun('runs', 'has a duplicate id');
  const attempts = new Set(runs.map(({ trialNumber, attempt }) => `${trialNumber} ${attempt}`));
  if (attempts.size < runs.length) throw refuseRun('runs', 'has a duplicate attempt at a trial');
  for (const [i, { id, treatmentKey, trialNumber, status }] of runs.entries()) {
    const at = `runs[${i}]`;
    if (!keys.has(treatmentKey)) {
      throw refuseRun(`${at}.treatmentKey`, `the treatment of run ${id} is not in the plan`);
    }
    if (!numbers.has(trialNumber)) {
      throw refuseRun(`${at}.trialNumber`, `the trial of run ${id} is not in the plan`);
    }
    if (!isSettled(status)) throw refuseRun(`${at}.status`, `run ${id} was still ${status}`);
  }
}

function parseFile<T>(schema: z.ZodType<T>, path: string, bytes: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw refuse(`"${path}" is not JSON`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue = { field: '', reason: 'does not have the expected format' }] = issuesOf(parsed.error);
  throw refuseValue(path, issue);
}

/** A value in a run that its evidence does not support. */
export interface Difference {
  /** "run 12" */
  run: string;
  /** Id of a metric or a verdict, or the path of an impossible value. */
  what: string;
  /** "stated as 0.6, but 0.2 according to the results of its devices" */
  reason: string;
}

interface StatedRun {
  run: Pick<
    RunSummary,
    'trialNumber' | 'attempt' | 'status' | 'flagged' | 'metrics' | 'verdicts' | 'seriesRemovedAt'
  >;
  results: readonly RoleResult[];
  spec: TrialSpec;
  /** Version of the definitions with which the metrics were computed. */
  definitions: number;
  /** True for measurements from another tool, which have no results and therefore no verdicts. */
  isForeign?: boolean;
}

/** Relative differences above this are not due to rounding. */
const rounding = 1e-9;

/**
 * Returns every value in a run that is impossible, or that differs from its evidence under the same
 * definitions. Other definitions may give other values, so only impossible values are then returned. Pure.
 */
export function checkEvidence(stated: StatedRun): Difference[] {
  const run = runName(stated.run);
  const place = ([what, reason]: [string, string]): Difference => ({ run, what, reason });
  const impossible = [...impossibleMetrics(stated.run.metrics), ...impossibleResults(stated)];
  // Inconsistent results have no metrics to compare.
  const broken = impossible.some(([what]) => !(what in stated.run.metrics));
  return [...impossible, ...(broken ? [] : differences(stated))].map(place);
}

function* differences({
  run,
  results,
  spec,
  definitions,
  isForeign,
}: StatedRun): Generator<[string, string]> {
  const isStated = Object.values(run.metrics).some((value) => value !== null);
  if (results.length === 0 && isForeign) {
    if (run.verdicts.length > 0) yield ['verdicts', 'are stated, but another tool measured the run'];
    return;
  }
  if (results.length === 0) {
    if (isStated) yield ['results', 'has metrics, but the bundle contains no results of its devices'];
    return;
  }
  if (definitions !== definitionsVersion || run.status !== 'done') return;
  const evaluated = evaluate({ spec, results });
  if ('reason' in evaluated) {
    yield ['results', `cannot be evaluated: ${evaluated.reason}`];
    return;
  }
  const { computed, judged } = evaluated;
  // Metrics from removed series cannot be recomputed.
  const isWhole = run.seriesRemovedAt === undefined;
  for (const { id } of metrics) {
    const was = run.metrics[id] ?? null;
    const found = computed[id] ?? null;
    const now = found !== null && Number.isFinite(found) ? found : null;
    if (isEqual(was, now) || (now === null && !isWhole)) continue;
    yield [
      id,
      `is stated as ${was ?? 'not measured'}, but ${now ?? 'not measured'} according to the results of its devices`,
    ];
  }
  if (!isWhole) return;
  for (const { id, status } of judged) {
    const was = run.verdicts.find((verdict) => verdict.id === id)?.status ?? 'not stated';
    if (was !== status)
      yield [id, `is stated as ${was}, but ${status} according to the results of its devices`];
  }
  const isFlagged = judged.some(({ status }) => status === 'failed');
  if (run.flagged !== isFlagged)
    yield ['flagged', `is stated as ${run.flagged}, but ${isFlagged} according to its verdicts`];
}

/**
 * Computes metrics and verdicts from results that have the right form but may contain numbers that no device
 * reports.
 */
function evaluate(evidence: RunEvidence) {
  try {
    return { computed: summariseMetrics(evidence), judged: judgeRun(evidence) };
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

function isEqual(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  return Math.abs(a - b) <= rounding * Math.max(Math.abs(a), Math.abs(b));
}

/** Groups of percentiles of one distribution, such as "latency.p50", in increasing order. */
const percentiles = Map.groupBy(
  metrics.flatMap(({ id }) => {
    const [, group, digits = ''] = /^(.+)\.p(\d+)$/.exec(id) ?? [];
    return group === undefined ? [] : [{ id, group, share: Number(`0.${digits.padStart(2, '0')}`) }];
  }),
  ({ group }) => group,
);

/** Yields each metric with an impossible value, and the reason. */
export function* impossibleMetrics(values: RunSummary['metrics']): Generator<[string, string]> {
  for (const { id, quantity, unit } of metrics) {
    const value = values[id] ?? null;
    if (value === null) continue;
    const most = unit === '%' ? 100 : 1;
    if (quantity !== 'signed' && value < 0) yield [id, `is ${value}: it cannot be negative`];
    if (quantity === 'proportion' && value > most * (1 + rounding)) yield [id, `is ${value}, above ${most}`];
  }
  for (const group of percentiles.values()) {
    const known = group
      .toSorted((a, b) => a.share - b.share)
      .flatMap(({ id }) => {
        const value = values[id] ?? null;
        return value === null ? [] : [{ id, value }];
      });
    for (const [index, { id, value }] of known.entries()) {
      const above = known[index + 1];
      if (above && value > above.value * (1 + rounding)) {
        yield [id, `is ${value}, above ${above.id}, which is ${above.value}`];
      }
    }
  }
}

function* impossibleResults({ run, results, spec }: StatedRun): Generator<[string, string]> {
  for (const { role, device, latency, lateness, histograms } of results) {
    const at = `${role} ${device}`;
    const distributions = { latency, lateness, ...histograms };
    for (const [name, histogram] of Object.entries(distributions)) {
      if (!histogram) continue;
      // The buckets are stored as index, count, index, count ...
      const counted = histogram.buckets.reduce((sum, value, i) => sum + (i % 2 === 1 ? value : 0), 0);
      if (counted !== histogram.count) {
        yield [`${at}: ${name}`, `states ${histogram.count} values, but its buckets contain ${counted}`];
      }
    }
  }
  if (spec.qos !== 2 || run.status !== 'done') return;
  const total = (role: string, count: 'sent' | 'received') =>
    results.reduce((sum, result) => sum + (result.role === role ? (result.counters?.[count] ?? 0) : 0), 0);
  const sent = total('publisher', 'sent');
  const most = sent * deliveriesOf(spec);
  const received = total('subscriber', 'received');
  if (!isCoap(spec) && sent > 0 && received > most) {
    yield [
      'received',
      `is ${received} at QoS 2, more than ${sent} messages to ${spec.subscribers} subscribers`,
    ];
  }
}
