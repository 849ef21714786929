import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { childrenOf, commandOf } from '@mqttlab/shared/testing/processes';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EncodedJson } from '../base/encoded-json.ts';
import { makeAnswerService } from '../results/answer-service.ts';
import { databasePath } from '../store/data-folder.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { openSecretBox } from '../store/secret-box.ts';
import { makeStores, type Stores } from '../store/stores.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { openBundleKey } from './bundle-format.ts';
import { type BundleService, makeBundleService } from './bundle-service.ts';
import { openZip } from './read-zip.ts';
import { writeBundle } from './write-bundle.ts';

const software = 'mqttlab test';
const never = new AbortController().signal;
/** More than all buffers between the process and the reader can contain. */
const capture = Buffer.alloc(8_000_000, 'packet ');
let folder: string;
let database: Database;
let stores: Stores;
let service: BundleService;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-write-'));
  database = openDatabase(databasePath(folder));
  stores = makeStores(database, openSecretBox(folder));
  service = makeBundleService({ stores, software, nowMs: Date.now, folder, testbedFor: () => 'local' });
});
afterEach(() => {
  service.stop();
  database.close();
  rmSync(folder, { recursive: true });
});

/** A finished experiment whose first run has a capture and a key log. */
function play(): number {
  const { id, runs } = playExperiment(stores);
  stores.experiments.updateExperiment(id, { status: 'done' });
  const file = { runId: runs[0]!.id, deviceId: 'pi' };
  stores.runFiles.saveFilePart({ ...file, name: 'capture.pcap' }, { part: 0, bytes: capture, isLast: true });
  const keys = Buffer.from('CLIENT_TRAFFIC_SECRET_0 01 02\n');
  stores.runFiles.saveFilePart({ ...file, name: 'keys.log' }, { part: 0, bytes: keys, isLast: true });
  return id;
}

const writers = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('bundle-writer'));

/** A bundle whose first bytes have arrived, and its process. */
async function begin(id: number, signal = never): Promise<{ bundle: Readable; pid: number }> {
  const before = writers();
  const bundle = await service.exportBundle(id, signal, 'captures');
  const [pid] = writers().filter((one) => !before.includes(one));
  return { bundle, pid: pid! };
}
const untilEnded = (pid: number) => expect.poll(() => commandOf(pid)).toBe('');

/** Replaces the stored report of an experiment. */
function store(id: number, packed: Uint8Array): void {
  const key = `report ${JSON.stringify({ experimentId: id, takesFlagged: false })}`;
  const { changes } = database.run('UPDATE stored_answers SET packed = :packed WHERE key = :key', {
    key,
    packed,
  });
  expect(changes).toBe(1);
}

it('has the same bytes as one written in the server process, with packets and keys', async () => {
  const id = play();
  const packets = 'captures and keys';
  const made = await buffer(await service.exportBundle(id, never, packets));
  const inPlace = writeBundle(stores, {
    experimentId: id,
    packets,
    software,
    stored: { findAnswer: () => null },
    key: openBundleKey(join(folder, 'pki', 'bundle-key.pem')),
    signal: never,
  });
  expect(made.length).toBeGreaterThan(capture.length);
  expect(made.equals(await buffer(inPlace))).toBe(true);
});

it('has the stored report, or a new one if that is damaged', async () => {
  const id = play();
  const withNew = await buffer(await service.exportBundle(id, never));
  const answers = makeAnswerService({ database, stores, software });
  const question = { experimentId: id, takesFlagged: false };
  const report = await answers.getAnswer('report', question, { experimentIds: [id], signal: never });
  await answers.stop();
  expect((await buffer(await service.exportBundle(id, never))).equals(withNew)).toBe(true);

  const marked = Buffer.from(JSON.stringify({ ...report.parse<Report>(), software: 'as stored' }));
  store(id, await new EncodedJson(marked).in('br'));
  const packed = await buffer(await service.exportBundle(id, never));
  const zip = await openZip(packed, packed.length);
  expect(JSON.parse((await zip.read('report/report.json')).toString())).toMatchObject({
    software: 'as stored',
  });
  zip.close();

  store(id, Buffer.from('damaged'));
  expect((await buffer(await service.exportBundle(id, never))).equals(withNew)).toBe(true);
});

it('ends with an error and leaves no file if its process is killed', async () => {
  const id = play();
  const files = () => readdirSync(folder, { recursive: true }).toSorted();
  await buffer(await service.exportBundle(id, never));
  const before = files();
  const { bundle, pid } = await begin(id);
  process.kill(pid, 'SIGTERM');
  await expect(buffer(bundle)).rejects.toMatchObject({
    problem: { status: 500, detail: 'The process that writes the bundle exited with SIGTERM.' },
  });
  const another = await begin(id);
  process.kill(another.pid, 'SIGKILL');
  await expect(buffer(another.bundle)).rejects.toMatchObject({ problem: { status: 422 } });
  expect(files()).toEqual(before);
});

it('ends its process when the reader disconnects, the caller aborts, or the server stops', async () => {
  const id = play();
  const left = await begin(id);
  left.bundle.destroy();
  await untilEnded(left.pid);

  const gone = new AbortController();
  const aborted = await begin(id, gone.signal);
  gone.abort(new Error('the client has left'));
  await expect(buffer(aborted.bundle)).rejects.toThrow('the client has left');
  await untilEnded(aborted.pid);

  const early = new AbortController();
  const asked = service.exportBundle(id, early.signal);
  const [starting] = writers();
  early.abort(new Error('gone before the first byte'));
  await expect(asked).rejects.toThrow('gone before the first byte');
  await untilEnded(starting!);

  const stopped = await begin(id);
  service.stop();
  await expect(buffer(stopped.bundle)).rejects.toThrow('The server is stopping.');
  await untilEnded(stopped.pid);
});

it('of an experiment that is not finished is refused as a problem before the first byte', async () => {
  const id = play();
  stores.experiments.updateExperiment(id, { status: 'running' });
  await expect(service.exportBundle(id, never)).rejects.toMatchObject({ problem: { status: 409 } });
});

it('is refused while four others are written, and written when one of them has ended', async () => {
  const id = play();
  const four = [];
  for (let i = 0; i < 4; i += 1) four.push((await begin(id)).bundle);
  await expect(service.exportBundle(id, never)).rejects.toThrow('4 bundles are being exported.');
  const [first] = four;
  first!.destroy();
  await once(first!, 'close');
  expect((await buffer(await service.exportBundle(id, never))).length).toBeGreaterThan(0);
});
