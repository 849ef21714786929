import { join } from 'node:path';
import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import { afterEach, describe, expect, it } from 'vitest';
import { makeServerEvents } from '../base/events.ts';
import { makeLive } from '../live/live.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { makeExperimentStore } from '../store/experiments/experiment-store.ts';
import { makeRunStore } from '../store/runs/run-store.ts';
import { canMountLoop, LoopDisk } from '../store/testing/loop-disk.ts';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { makeResultService } from './results.ts';

const disks: LoopDisk[] = [];
const databases: Database[] = [];
afterEach(() => {
  for (const database of databases.splice(0)) database.close();
  for (const disk of disks.splice(0)) disk.remove();
});

const openStores = (folder: string) => {
  const database = openDatabase(join(folder, 'mqttlab.db'));
  databases.push(database);
  return { database, experiments: makeExperimentStore(database), runs: makeRunStore(database) };
};

/** A run in progress on a separate disk, and the service that receives its results. */
function makeRunOnDisk() {
  const disk = new LoopDisk();
  disks.push(disk);
  const stores = openStores(disk.make());
  const { database, experiments, runs } = stores;
  const { id } = experiments.createExperiment(makeTestDraft());
  const plan = makeTestPlan();
  experiments.savePlan(id, plan);
  const [{ number: trialNumber, block, treatmentKey } = { number: 1, block: 1, treatmentKey: '' }] =
    plan.trials;
  const run = runs.createRun({
    experimentId: id,
    trialNumber,
    block,
    treatmentKey,
    attempt: 1,
    retryOf: null,
  });
  runs.saveRunDevices(
    run.id,
    neededRoles.map((role) => ({ deviceId: `pi-${role}`, role })),
  );
  runs.updateRun(run.id, { status: 'collecting' });
  const time = { nowMs: Date.now };
  const live = makeLive({ stores, nowMs: Date.now, onError: () => {} });
  const service = makeResultService({ stores, live, events: makeServerEvents(), time });
  const spec = plan.treatments[0]!.spec;
  const take = (role: (typeof neededRoles)[number]) =>
    service.storeResult({ deviceId: `pi-${role}`, runId: run.id, result: makeTestResult(role, { spec }) });
  return { disk, database, run, take };
}

describe.skipIf(!canMountLoop())('a power cut', () => {
  it('right after the acknowledgement of a result leaves it stored, because the device deletes it', () => {
    const { disk, run, take } = makeRunOnDisk();
    for (const [index, role] of neededRoles.entries()) {
      take(role);
      const after = openStores(disk.asAfterPowerCut());
      expect(after.runs.listRoleResults(run.id)).toHaveLength(index + 1);
      expect(after.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    }
  });

  it('never reuses the number of a run that devices have received', () => {
    const { disk, run } = makeRunOnDisk();
    const after = openStores(disk.asAfterPowerCut());
    expect(after.runs.findRun(run.id)).not.toBeNull();
    expect(after.runs.readRunDevices(run.id).size).toBe(3);
  });

  it('after a duplicate result leaves it stored as well', () => {
    const { disk, database, run, take } = makeRunOnDisk();
    // Like a server that was killed before it synced its writes.
    database.transaction(() => take('broker'));
    take('broker');
    const after = openStores(disk.asAfterPowerCut());
    expect(after.runs.listRoleResults(run.id)).toHaveLength(1);
  });
});
