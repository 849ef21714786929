import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EncodedJson } from '../base/encoded-json.ts';
import { collectReport } from '../results/report.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { bundleFiles, runFileOf } from './bundle-format.ts';
import { openZip } from './read-zip.ts';
import { type BundledStores, writeBundle } from './write-bundle.ts';

/** More than all buffers between database and reader can contain. */
const repetitions = 24;
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = {
  publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  sign: (bytes: Uint8Array) => sign(null, bytes, privateKey),
};

const stores = makeTestStores(() => 5000);
let id: number;
let runIds: number[];
/** Computed once for all bundles. */
let report: Buffer;

beforeAll(async () => {
  const played = playExperiment(stores, { repetitions }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 30,
    samples: 300,
  }));
  id = played.id;
  runIds = played.runs.map((run) => run.id);
  const question = { experimentId: id, takesFlagged: false, software: 'mqttlab test' };
  const made = makeReport(await collectReport(stores, question));
  report = await new EncodedJson(Buffer.from(JSON.stringify(made))).in('br');
});
afterAll(() => stores.database.close());

/** A bundle, and the runs read from the database so far. */
function write(signal = new AbortController().signal): { bundle: Readable; read: number[] } {
  const read: number[] = [];
  const counted: BundledStores = {
    ...stores,
    runs: {
      ...stores.runs,
      readStoredResults(runId) {
        read.push(runId);
        return stores.runs.readStoredResults(runId);
      },
    },
  };
  const bundle = writeBundle(counted, {
    experimentId: id,
    stored: { findAnswer: () => report },
    packets: 'none',
    key,
    software: 'mqttlab test',
    signal,
  });
  return { bundle, read };
}

/** Number of event loop turns that a writer without back-pressure would need for all of it. */
async function letItWork(): Promise<void> {
  for (let i = 0; i < 20 * runIds.length; i += 1) await turn();
}

it('reads a run only after the reader has received the earlier ones', async () => {
  const { bundle, read } = write();
  await once(bundle, 'readable');
  await letItWork();
  // Without a reader only the buffers fill, however long that takes.
  expect(read.length).toBeLessThan(runIds.length / 2);
  await buffer(bundle);
  // Once for its results, once for its samples.
  expect(read).toEqual([...runIds, ...runIds]);
});

it('stops reading when its reader disconnects, and when it is aborted', async () => {
  const left = write();
  await once(left.bundle, 'readable');
  left.bundle.destroy();
  await once(left.bundle, 'close');
  await letItWork();
  expect(left.read.length).toBeLessThan(runIds.length);

  const stop = new AbortController();
  const aborted = write(stop.signal);
  await once(aborted.bundle, 'readable');
  const taken = buffer(aborted.bundle);
  stop.abort(new Error('the client has left'));
  await expect(taken).rejects.toThrow('the client has left');
});

it('ends with an error if part of it cannot be read, so that it does not look complete', async () => {
  const { bundle } = write();
  const broken = {
    ...stores.runs,
    readStoredResults: () => {
      throw new TypeError('damaged');
    },
  };
  bundle.destroy();
  const damaged = writeBundle(
    { ...stores, runs: broken },
    {
      experimentId: id,
      stored: { findAnswer: () => report },
      packets: 'none',
      key,
      software: 'mqttlab test',
      signal: new AbortController().signal,
    },
  );
  await expect(buffer(damaged)).rejects.toThrow('damaged');
});

it('has the same content as if written in one step', async () => {
  const packed = await buffer(write().bundle);
  const zip = await openZip(packed, packed.length);
  const text = (await zip.read(bundleFiles.experiment)).toString();
  const experiment = JSON.parse(text);
  expect(text).toBe(`${JSON.stringify(experiment, null, 1)}\n`);
  expect(experiment.runs.map((run: { id: number }) => run.id)).toEqual(runIds);
  for (const runId of runIds.slice(0, 3)) {
    expect(JSON.parse((await zip.read(runFileOf(runId))).toString())).toEqual(
      JSON.parse(JSON.stringify({ runId, results: stores.runs.readStoredResults(runId) })),
    );
  }
  zip.close();
});
