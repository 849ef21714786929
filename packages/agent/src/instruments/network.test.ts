import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { LinkWatch } from './network.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const path = 'class/net/wlan0/operstate';

function watch(state: string) {
  const sysRoot = makeTemporaryFolder();
  const set = (text: string) => writeFileTree(sysRoot, { [path]: `${text}\n` });
  set(state);
  const failures: RoleFailure[] = [];
  const watching = new LinkWatch({
    sysRoot,
    name: 'wlan0',
    everyMs: 5,
    onDown: (failure) => failures.push(failure),
  });
  watching.start();
  onTestFinished(() => watching.stop());
  return { set, failures, sysRoot };
}

test.each(['up', 'unknown'])('an interface that is %s is accepted', (state) => {
  const { failures } = watch(state);
  vi.advanceTimersByTime(60);
  expect(failures).toEqual([]);
});

test.each(['down', 'lowerlayerdown'])('an interface that stays %s is reported once, by its name', (state) => {
  const { set, failures } = watch('up');
  set(state);
  vi.advanceTimersByTime(60);
  expect(failures).toMatchObject([{ code: 'link-down', message: expect.stringContaining('wlan0') }]);
});

test('an interface that was removed is reported too', () => {
  const { sysRoot, failures } = watch('up');
  rmSync(join(sysRoot, path));
  vi.advanceTimersByTime(60);
  expect(failures[0]?.message).toContain('(gone)');
});
