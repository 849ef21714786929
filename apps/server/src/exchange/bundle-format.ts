import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { instantMs, measure, rowId, word } from '@mqttlab/shared/domain/bounds';
import { licensedAuthorshipSchema } from '@mqttlab/shared/domain/licensed-authorship';
import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { resultFileSchema } from '@mqttlab/shared/domain/runs/capture';
import { importMarkShape } from '@mqttlab/shared/domain/runs/import-marks';
import { roleResultSchema } from '@mqttlab/shared/domain/runs/role-result';
import { type RunFile, runSummarySchema } from '@mqttlab/shared/domain/runs/run';
import { finishedStatuses } from '@mqttlab/shared/domain/runs/statuses';
import * as z from 'zod';

/** Contents of each version of the format, beginning with version 1. */
export const bundleVersions = [
  'the experiment, its plan, and every run with evidence and figures',
  'also the author with licence and funding (`authorship`), or measurements from another tool (`foreign`)',
] as const;

/** Newest version of the bundle format; later versions are refused with a clear message. */
export const bundleVersion = bundleVersions.length;

export const bundleFiles = {
  metadata: 'ro-crate-metadata.json',
  manifest: 'manifest-sha256.txt',
  signature: 'manifest-sha256.txt.sig',
  signer: 'signer.pem',
  experiment: 'experiment.json',
  plan: 'plan.json',
} as const;

export const bundledExperimentSchema = z.strictObject({
  bundleVersion: z.int().min(1).max(bundleVersion),
  software: word,
  /** Number of the experiment on the exporting server. */
  id: rowId,
  status: z.enum(finishedStatuses),
  createdAt: instantMs,
  startedAt: instantMs.nullable(),
  finishedAt: instantMs.nullable(),
  draft: experimentDraftSchema,
  /** Version of the metric definitions; the first version if omitted. */
  definitions: z.int().min(1).default(1),
  /** Import marks on the exporting server. */
  ...importMarkShape,
  authorship: licensedAuthorshipSchema.optional(),
  runs: z.array(
    runSummarySchema.extend({ measuredAt: instantMs.nullable(), overheadMs: measure.nullable() }),
  ),
});

/** Content of the file for a run that has results. */
export const bundledRunSchema = z.strictObject({
  runId: rowId,
  results: z.array(z.strictObject({ deviceId: word, result: roleResultSchema })),
});

/** A file that an agent stored next to its result. */
export interface BundledFile extends Pick<RunFile, 'name' | 'device'> {
  bytes: Buffer;
}

export type BundledExperiment = z.infer<typeof bundledExperimentSchema>;
export type BundledRun = z.infer<typeof bundledRunSchema>;

/**
 * Returns the earliest version that can contain these fields, so that earlier programs open every bundle that
 * they understand.
 */
export function bundleVersionOf({
  authorship,
  foreign,
}: Partial<Pick<BundledExperiment, 'authorship' | 'foreign'>>): number {
  return authorship === undefined && foreign === undefined ? 1 : 2;
}

export function runFileOf(runId: number): string {
  return `runs/run-${runId}.json`;
}

/** Returns the path in the bundle for a file next to the results of a run. */
export function packetFileOf(runId: number, { name, device }: Pick<RunFile, 'name' | 'device'>): string {
  return `runs/run-${runId}/${encodeURIComponent(device)}/${name}`;
}

/** Inverse of packetFileOf; returns null for other paths. */
export function readPacketPath(path: string): (Pick<RunFile, 'name' | 'device'> & { runId: number }) | null {
  const [, runId, device, name] =
    /^runs\/run-(\d{1,15})\/([\w.!~*'()%-]{1,600})\/(capture\.pcap|keys\.log)$/.exec(path) ?? [];
  if (runId === undefined || device === undefined || name === undefined) return null;
  try {
    return {
      runId: Number(runId),
      device: word.parse(decodeURIComponent(device)),
      name: resultFileSchema.shape.name.parse(name),
    };
  } catch {
    return null;
  }
}

/** Key with which a server signs its bundles (Ed25519, RFC 8032). */
export interface BundleKey {
  publicPem: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** Opens the key in this file, which is created on the first call and readable only by its owner. */
export function openBundleKey(path: string): BundleKey {
  const key = existsSync(path) ? createPrivateKey(readFileSync(path)) : makeKey(path);
  return {
    publicPem: createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString(),
    sign: (bytes) => sign(null, bytes, key),
  };
}

function makeKey(path: string): KeyObject {
  const { privateKey } = generateKeyPairSync('ed25519');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return privateKey;
}

/** Returns false if the signature is from another key, or the key is invalid. */
export function isSignedBy(publicPem: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(null, bytes, createPublicKey(publicPem), signature);
  } catch {
    return false;
  }
}

/**
 * Returns the fingerprint of the key's DER form in the format of SSH, "SHA256:abcd…". Throws if the PEM
 * contains no key.
 */
export function fingerprintOf(publicPem: string): string {
  const der = createPublicKey(publicPem).export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`;
}
