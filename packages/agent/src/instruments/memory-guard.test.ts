import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { MemoryGuard } from './memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function guard(maxBytes: number): RoleFailure[] {
  const failures: RoleFailure[] = [];
  const watch = new MemoryGuard({
    procRoot: '/proc',
    pid: process.pid,
    maxBytes,
    onExceeded: (failure) => failures.push(failure),
  });
  watch.start();
  onTestFinished(() => watch.stop());
  return failures;
}

test('more memory than the run allows is reported once, and less is not', () => {
  const [exceeded, fine] = [guard(1_000_000), guard(2 ** 50)];
  vi.advanceTimersByTime(1_000);
  expect(exceeded).toMatchObject([{ code: 'abuse-memory' }]);
  expect(fine).toEqual([]);
});
