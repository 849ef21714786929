import { statfs } from 'node:fs/promises';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { estimate } from '@mqttlab/shared/planning/estimate';
import type { PreflightCheck, PreflightDependencies } from './preflight-check.ts';

/** Room that should be left when the experiment is through. */
const reserveBytes = 200e6;

/** What the server itself must have for this plan. */
export async function checkServer(
  { dataFolder }: Pick<PreflightDependencies, 'dataFolder'>,
  plan: Plan,
): Promise<PreflightCheck[]> {
  const about = { id: 'disk', device: 'Server', label: 'Disk has room for the data' };
  const { bavail, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  const neededBytes = estimate(plan, null).dataBytes;
  const evidence = `${(freeBytes / 1e9).toFixed(1)} GB free, about ${(neededBytes / 1e6).toFixed(1)} MB needed`;
  if (freeBytes > neededBytes + reserveBytes) return [{ ...about, status: 'passed', evidence, remedy: null }];
  const status = freeBytes < neededBytes ? 'failed' : 'warning';
  return [{ ...about, status, evidence, remedy: 'Free some space, or set MQTTLAB_DATA to another disk.' }];
}
