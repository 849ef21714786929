import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { afterEach, expect, test } from 'vitest';
import { type ApiRig, startApiRig } from '../api/testing/api-rig.ts';
import { makeSecretBox } from '../store/secret-box.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { openZip } from './read-zip.ts';

const rigs: ApiRig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.stop();
});

async function makeRig(options: Parameters<typeof startApiRig>[0] = {}): Promise<ApiRig> {
  const rig = await startApiRig(options);
  rigs.push(rig);
  return rig;
}

const packets = Buffer.alloc(3_000_000, 'packet ');
const keys = Buffer.from('CLIENT_TRAFFIC_SECRET_0 01 02\n');

/** An experiment whose first run has a capture in two parts, and a key log. */
async function play(rig: ApiRig) {
  const { id, runs } = playExperiment(rig);
  const file = { runId: runs[0]!.id, deviceId: 'pi 4/é' };
  const half = packets.length / 2;
  rig.runFiles.saveFilePart(
    { ...file, name: 'capture.pcap' },
    { part: 0, bytes: packets.subarray(0, half), isLast: false },
  );
  rig.runFiles.saveFilePart(
    { ...file, name: 'capture.pcap' },
    { part: 1, bytes: packets.subarray(half), isLast: true },
  );
  rig.runFiles.saveFilePart({ ...file, name: 'keys.log' }, { part: 0, bytes: keys, isLast: true });
  return { id, runId: file.runId };
}

const never = new AbortController().signal;

async function exportFrom(rig: ApiRig, id: number, choice?: PacketChoice) {
  const packed = await buffer(await rig.services.bundles.exportBundle(id, never, choice));
  const zip = await openZip(packed, packed.length);
  const paths = zip.paths().filter((path) => /pcap|keys/.test(path));
  zip.close();
  return { packed, paths };
}

test('a bundle has packets and keys only if they are selected', async () => {
  const rig = await makeRig();
  const { id, runId } = await play(rig);
  const folder = `runs/run-${runId}/pi%204%2F%C3%A9`;
  expect((await exportFrom(rig, id)).paths).toEqual([]);
  expect((await exportFrom(rig, id, 'captures')).paths).toEqual([`${folder}/capture.pcap`]);
  const { paths } = await exportFrom(rig, id, 'captures and keys');
  expect(paths.toSorted()).toEqual([`${folder}/capture.pcap`, `${folder}/keys.log`]);
  expect((await rig.api(`/experiments/${id}/packets`)).body).toEqual({
    captures: { files: 1, bytes: packets.length },
    keyLogs: { files: 1, bytes: expect.any(Number) },
  });
});

test('keys that another mqttlab.key encrypted are refused with the reason, not exported as empty', async () => {
  const rig = await makeRig();
  const { id, runId } = await play(rig);
  const other = Buffer.from(makeSecretBox(randomBytes(32)).seal(keys.toString('latin1'), 'run_files.bytes'));
  rig.database.run("UPDATE run_files SET bytes = :other WHERE name = 'keys.log'", { other });
  const saved = await rig.api(`/runs/${runId}/keys.log`);
  expect([saved.status, saved.body]).toEqual([
    409,
    expect.objectContaining({
      detail: expect.stringContaining('different mqttlab.key'),
      remedy: expect.stringContaining('export without keys'),
    }),
  ]);
  await expect(exportFrom(rig, id, 'captures and keys')).rejects.toThrow('different mqttlab.key');
  expect((await exportFrom(rig, id, 'captures')).paths).toHaveLength(1);
});

test('importing a bundle restores packets and keys, with keys encrypted', async () => {
  const [here, there] = [await makeRig(), await makeRig()];
  const { id } = await play(here);
  const { packed } = await exportFrom(here, id, 'captures and keys');
  const incoming = { packed: Readable.from([packed]), key: 'one', totalBytes: packed.length, signal: never };
  const imported = await there.services.bundles.receiveBundle(incoming);
  const runId = there.runs.listRuns(imported)[0]!.id;
  expect(there.runs.findRunDetail(runId)?.files.map(({ name, device }) => [name, device])).toEqual([
    ['capture.pcap', 'pi 4/é'],
    ['keys.log', 'pi 4/é'],
  ]);
  expect(Buffer.concat([...there.runFiles.readFileParts(runId, 'capture.pcap')]).equals(packets)).toBe(true);
  expect(Buffer.concat([...there.runFiles.readFileParts(runId, 'keys.log')])).toEqual(keys);
  const stored = there.database.all("SELECT bytes FROM run_files WHERE name = 'keys.log'");
  expect(
    stored.map((row) => Buffer.from((row as { bytes: Uint8Array }).bytes).toString()).join(),
  ).not.toContain('SECRET');
});

test('a viewer can export captures, but not key logs', async () => {
  const rig = await makeRig({ loginRequired: true, adminToken: 'admin-token-of-this-test' });
  const { id } = await play(rig);
  const statusFor = async (role: 'viewer' | 'operator', choice: string) => {
    const { secret } = rig.tokens.createToken({ name: `${role} ${choice}`, role });
    const path = `${rig.origin}/api/v1/experiments/${id}/bundle.zip?packets=${encodeURIComponent(choice)}`;
    const answer = await fetch(path, { headers: { authorization: `Bearer ${secret}` } });
    await answer.body?.cancel();
    return answer.status;
  };
  expect(await statusFor('viewer', 'captures')).toBe(200);
  expect(await statusFor('viewer', 'captures and keys')).toBe(403);
  expect(await statusFor('operator', 'captures and keys')).toBe(200);
  expect(await statusFor('operator', 'everything')).toBe(400);
});
