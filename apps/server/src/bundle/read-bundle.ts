import { issuesOf } from '@mqttlab/shared/domain/issue';
import { type Plan, planSchema } from '@mqttlab/shared/domain/plans/plan';
import { maxCaptureBytes } from '@mqttlab/shared/domain/runs/capture';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
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
  readPacketPath,
  runFileOf,
} from './bundle-format.ts';
import { fingerprintOf, isSignedBy } from './bundle-key.ts';
import { type OpenZip, refuse, refuseValue } from './read-zip.ts';

export interface OpenBundle {
  experiment: BundledExperiment;
  plan: Plan;
  /** Of the key that signed. */
  fingerprint: string;
  /** null for a Run without results. */
  readRun(runId: number): Promise<BundledRun | null>;
  /** Packets and keys, where they went along. */
  readFiles(runId: number): Promise<BundledFile[]>;
}

/** Beside the manifest's own files: they say what it says, or are signed over it. */
const unlisted: readonly string[] = [
  bundleFiles.metadata,
  bundleFiles.manifest,
  bundleFiles.signature,
  bundleFiles.signer,
];

/** Files whose checksum was verified, of how many. */
type Progress = (done: number, all: number) => void;

const versionSchema = z.object({ bundleVersion: z.number() });

/** Checks every checksum and the signature, then parses. Throws a 422 problem that says what is wrong. */
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
      `it has version ${found.bundleVersion}, this mqttlab knows versions up to ${bundleVersion}`,
      'Update this mqttlab, or export with an older one.',
    );
  }
}

async function checkSignature(zip: OpenZip): Promise<string> {
  const [manifest, signature, signer] = await Promise.all(
    [bundleFiles.manifest, bundleFiles.signature, bundleFiles.signer].map((path) => zip.read(path)),
  );
  const pem = signer?.toString('utf8') ?? '';
  if (!manifest || !signature || !isSignedBy(pem, manifest, signature)) {
    throw refuse('its signature does not fit its list of checksums: it was altered');
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
      throw refuse(`"${path}" does not have the checksum it was exported with`);
  }
}

function checkRuns({ runs }: BundledExperiment, plan: Plan): void {
  const keys = new Set(plan.treatments.map(({ key }) => key));
  const numbers = new Set(plan.trials.map(({ number }) => number));
  const ids = new Set(runs.map(({ id }) => id));
  const refuseRun = (field: string, reason: string) => refuseValue(bundleFiles.experiment, { field, reason });
  if (ids.size < runs.length) throw refuseRun('runs', 'has one id twice');
  const attempts = new Set(runs.map(({ trialNumber, attempt }) => `${trialNumber} ${attempt}`));
  if (attempts.size < runs.length) throw refuseRun('runs', 'has one attempt of a trial twice');
  for (const [i, { id, treatmentKey, trialNumber, status }] of runs.entries()) {
    const at = `runs[${i}]`;
    if (!keys.has(treatmentKey)) {
      throw refuseRun(`${at}.treatmentKey`, `run ${id} is of a treatment that the plan does not have`);
    }
    if (!numbers.has(trialNumber)) {
      throw refuseRun(`${at}.trialNumber`, `run ${id} is of a trial that the plan does not have`);
    }
    if (!isSettled(status)) throw refuseRun(`${at}.status`, `run ${id} was still ${status}`);
  }
}

function parseFile<T>(schema: z.ZodType<T>, path: string, bytes: Buffer): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw refuse(`"${path}" is no JSON`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue = { field: '', reason: 'is not as this mqttlab expects it' }] = issuesOf(parsed.error);
  throw refuseValue(path, issue);
}
