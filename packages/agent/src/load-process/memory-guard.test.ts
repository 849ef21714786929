import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryGuard } from './memory-guard.ts';

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

test('more memory than the Run allows is told once, and less is not', async () => {
  const [exceeded, fine] = [guard(1_000_000), guard(2 ** 50)];
  await expect.poll(() => exceeded.length, { timeout: 10_000 }).toBe(1);
  expect(exceeded[0]).toMatchObject({ code: 'abuse-memory' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(exceeded).toHaveLength(1);
  expect(fine).toEqual([]);
});
