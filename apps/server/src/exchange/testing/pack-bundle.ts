import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Problem } from '@mqttlab/shared/messages/http';
import { ZipFile } from 'yazl';
import type { ApiRig } from '../../api/testing/api-rig.ts';
import { bundleFiles } from '../bundle-format.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** Packs a bundle of these files, with matching checksums and signature. */
export async function packBundle(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const zip = new ZipFile();
  const add = (path: string, content: string | Buffer): void =>
    zip.addBuffer(Buffer.from(content), path, { compressionLevel: 1 });
  for (const [path, content] of files) add(path, content);
  const sumOf = (content: string) => createHash('sha256').update(content).digest('hex');
  const manifest = [...files].map(([path, content]) => `${sumOf(content)}  ${path}\n`).join('');
  add(bundleFiles.manifest, manifest);
  add(bundleFiles.signature, sign(null, Buffer.from(manifest), privateKey));
  add(bundleFiles.signer, publicKey.export({ type: 'spki', format: 'pem' }));
  zip.end();
  return buffer(zip.outputStream as Readable);
}

/** Exports the bundle of an experiment. */
export async function exportBundle({ services }: Pick<ApiRig, 'services'>, id: number): Promise<Buffer> {
  return buffer(await services.bundles.exportBundle(id, new AbortController().signal));
}

/** Imports a bundle over the API. `query` begins with "?". */
export async function importBundle({ origin }: { origin: string }, bundle: Buffer, query = '') {
  const response = await fetch(`${origin}/api/v1/experiments/import-bundle${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(bundle),
  });
  return {
    status: response.status,
    body: (await response.json()) as Omit<ExperimentDetail, 'status'> & Problem,
  };
}
