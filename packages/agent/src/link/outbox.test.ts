import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { roles } from '@mqttlab/shared/domain/devices/device';
import { expect, onTestFinished, test } from 'vitest';
import { Cleanup } from '../processes/files.ts';
import { makeTestResult } from '../testing/results.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { addUnremovableFolder } from '../testing/unremovable-folder.ts';
import { Outbox, SetAsideResults } from './outbox.ts';

async function openOutbox(folder: string, failures: string[] = []): Promise<Outbox> {
  const { outbox } = await makeOutbox(folder, failures);
  await outbox.open();
  return outbox;
}

async function makeOutbox(folder: string, failures: string[] = []) {
  const onFailure = (text: string) => void failures.push(text);
  const setAside = new SetAsideResults({ folder: makeTemporaryFolder(), nowMs: () => 7, onFailure });
  await setAside.open();
  const cleanup = new Cleanup({ onFailure, waitsMs: Array.from({ length: 1_000 }, () => 20) });
  onTestFinished(() => cleanup.stop());
  return { outbox: new Outbox({ folder, setAside, cleanup, onFailure }), setAside };
}

const kept = (runId: number) => ({ runId, result: makeTestResult({ environment: { runId } }) });

test('a result survives a restart until it is acknowledged', async () => {
  const folder = join(makeTemporaryFolder(), 'outbox');
  const first = await openOutbox(folder);
  await first.put('12-publisher', kept(12));
  await first.put('9-broker', kept(9));
  expect(statSync(join(folder, '12-publisher.json')).mode & 0o077).toBe(0);

  const second = await openOutbox(folder);
  expect(second.pending()).toEqual(['9-broker', '12-publisher']);
  expect(await second.read('12-publisher')).toEqual(kept(12));
  await second.forget('12-publisher');
  await second.forget('12-publisher');
  expect((await openOutbox(folder)).pending()).toEqual(['9-broker']);
});

test.each(roles)('a result of the role %s is found again after a restart', async (role) => {
  const folder = join(makeTemporaryFolder(), 'outbox');
  await (await openOutbox(folder)).put(`7-${role}`, kept(7));
  const again = await openOutbox(folder);
  expect(again.pending()).toEqual([`7-${role}`]);
  expect(await again.read(`7-${role}`)).toEqual(kept(7));
});

test.each([
  ['empty', ''],
  ['cut off', '{"runId":3,"result":{"role":"publ'],
  ['something else', '{"runId":3,"result":{"role":"king"}}'],
])('a file that is %s is set aside with a line in the log', async (_what, text) => {
  const folder = makeTemporaryFolder();
  writeFileSync(join(folder, '3-publisher.json'), text);
  const failures: string[] = [];
  const { outbox, setAside } = await makeOutbox(folder, failures);
  await outbox.open();
  expect(await outbox.read('3-publisher')).toBeNull();
  expect(outbox.pending()).toEqual([]);
  expect(failures).toEqual([expect.stringContaining('3-publisher is set aside')]);
  expect(readdirSync(folder)).toEqual([]);
  expect(setAside.list()).toMatchObject([{ name: '3-publisher-7', reason: expect.stringContaining('read') }]);
  expect(await setAside.read('3-publisher-7')).toBe(text);
});

test('a draft of an interrupted write is removed', async () => {
  const folder = makeTemporaryFolder();
  writeFileSync(join(folder, '3-publisher.json.draft'), '{');
  expect((await openOutbox(folder)).pending()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('a missing file is reported, not thrown', async () => {
  const folder = makeTemporaryFolder();
  const failures: string[] = [];
  const outbox = await openOutbox(folder, failures);
  await outbox.put('3-publisher', kept(3));
  rmSync(join(folder, '3-publisher.json'));
  expect(await outbox.read('3-publisher')).toBeNull();
  expect(failures).toHaveLength(1);
});

/** A file system of 64 KiB; null if this user may not mount one. */
function mountSmallDisk(): string | null {
  const folder = makeTemporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'pipe' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', [folder]));
  return folder;
}

test('a full disk is a named failure, leaves no partial file, and the result is kept in memory', async () => {
  const folder = mountSmallDisk() ?? '/dev/full/outbox';
  const { outbox } = await makeOutbox(folder);
  if (folder !== '/dev/full/outbox') {
    await outbox.open();
    writeFileSync(join(folder, 'filler'), Buffer.alloc(60 * 1_024));
  }
  const big = { runId: 4, result: makeTestResult({ environment: { padding: 'x'.repeat(100_000) } }) };
  await expect(outbox.put('4-publisher', big)).rejects.toMatchObject({ report: { code: 'result-not-kept' } });
  if (folder !== '/dev/full/outbox') expect(readdirSync(folder)).toEqual(['filler']);
  expect(outbox.pending()).toEqual(['4-publisher']);
  expect(await outbox.read('4-publisher')).toEqual(big);
});

test('foreign files are not changed', async () => {
  const folder = makeTemporaryFolder();
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'README.json'), 'hello');
  expect((await openOutbox(folder)).pending()).toEqual([]);
  expect(readdirSync(folder).sort()).toEqual(['README.json', 'notes']);
});

test('a refused result is set aside even if its files cannot be removed', async () => {
  const folder = makeTemporaryFolder();
  const failures: string[] = [];
  const { outbox, setAside } = await makeOutbox(folder, failures);
  await outbox.open();
  await outbox.put('3-publisher', kept(3));
  const release = addUnremovableFolder(outbox.filesFolder('3-publisher'));
  await outbox.refuse('3-publisher', 'it is invalid');
  expect(setAside.list()).toMatchObject([{ key: '3-publisher', reason: 'it is invalid' }]);
  expect(JSON.parse((await setAside.read('3-publisher-7')) ?? '')).toEqual(kept(3));
  expect(failures).toContainEqual(expect.stringMatching(/3-publisher\.files .*(EBUSY|EACCES)/));
  release();
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

test('an acknowledged result is deleted even if its files cannot be removed', async () => {
  const folder = makeTemporaryFolder();
  const outbox = await openOutbox(folder);
  await outbox.put('3-publisher', kept(3));
  addUnremovableFolder(outbox.filesFolder('3-publisher'));
  await outbox.forget('3-publisher');
  expect((await openOutbox(folder)).pending()).toEqual([]);
});

test('a result that cannot be read now stays in the outbox and is not set aside', async () => {
  const folder = makeTemporaryFolder();
  // Reading a folder fails with EISDIR, as reading a file fails with EIO or EMFILE.
  mkdirSync(join(folder, '3-publisher.json'));
  const failures: string[] = [];
  const { outbox, setAside } = await makeOutbox(folder, failures);
  await outbox.open();
  expect(await outbox.read('3-publisher')).toBeNull();
  expect(outbox.pending()).toEqual(['3-publisher']);
  expect(setAside.list()).toEqual([]);
  expect(failures).toEqual([expect.stringContaining('EISDIR')]);
});

test('a part of a file is null only if the file is missing; a read error is an error', async () => {
  const folder = makeTemporaryFolder();
  const outbox = await openOutbox(folder);
  const part = { key: '3-broker', name: 'capture.pcap', offset: 0 } as const;
  expect(await outbox.readFilePart(part)).toBeNull();
  mkdirSync(join(outbox.filesFolder('3-broker'), 'capture.pcap'), { recursive: true });
  await expect(outbox.readFilePart(part)).rejects.toThrow('EISDIR');
});
