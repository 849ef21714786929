import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { addUnremovableFolder } from '../testing/unremovable-folder.ts';
import { Cleanup } from './files.ts';

test('a path that cannot be removed is reported at first and when no attempt is left', async () => {
  const folder = join(makeTemporaryFolder(), 'run');
  const failures: string[] = [];
  const cleanup = new Cleanup({ onFailure: (text) => failures.push(text), waitsMs: [1, 1, 1] });
  const release = addUnremovableFolder(folder);
  await cleanup.remove(folder);
  await expect.poll(() => failures).toHaveLength(2);
  expect(failures[0]).toMatch(/retried later\).*(EBUSY|EACCES)/);
  expect(failures[1]).toContain('retried when the agent starts again');
  release();
  await cleanup.remove(folder);
  expect(existsSync(folder)).toBe(false);
});

test('a path that is in use again is kept', async () => {
  const folder = join(makeTemporaryFolder(), 'run');
  const cleanup = new Cleanup({ onFailure: () => {}, waitsMs: [20] });
  const release = addUnremovableFolder(folder);
  await cleanup.remove(folder);
  cleanup.keep(folder);
  release();
  mkdirSync(folder, { recursive: true });
  const other = new Cleanup({ onFailure: () => {}, waitsMs: [40] });
  const marker = `${folder}-later`;
  const releaseMarker = addUnremovableFolder(marker);
  await other.remove(marker);
  releaseMarker();
  // Its attempt is due after the cancelled one.
  await expect.poll(() => existsSync(marker)).toBe(false);
  expect(existsSync(folder)).toBe(true);
});
