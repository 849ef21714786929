import type { Role } from '@mqttlab/shared/domain/devices/device';
import { describe, expect, it, test, vi } from 'vitest';
import { makeServerEvents } from '../base/events.ts';
import { makeLive } from '../live/live.ts';
import { StorageError } from '../store/storage-error.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { makeResultService, storeWithRetries } from './results.ts';

/** A run that was abandoned when its results arrive, one after the other. */
function makeGivenUp(participants: readonly { deviceId: string; role: Role }[], onLateSet?: () => void) {
  const stores = makeTestStores();
  const { plan, runs } = playExperiment(stores, {}, () => null);
  const run = runs[0];
  const spec = plan.treatments.find(({ key }) => key === run?.treatmentKey)?.spec;
  if (!run || !spec) throw new Error('no run was played');
  stores.runs.saveRunDevices(run.id, participants);
  const completed: number[] = [];
  const failures: unknown[] = [];
  const events = makeServerEvents();
  events.on('run-corrected', onLateSet ?? (({ id }) => void completed.push(id)));
  const live = makeLive({ stores, nowMs: Date.now, onError: (error) => void failures.push(error) });
  const service = makeResultService({ stores, live, events, time: { nowMs: Date.now } });
  const deliver = ({ deviceId, role }: { deviceId: string; role: Role }): string | null =>
    service.storeResult({ deviceId, runId: run.id, result: makeTestResult(role, { spec }) });
  return { run, stores, completed, failures, deliver };
}

const direct = [
  { deviceId: 'pi-1', role: 'broker' },
  { deviceId: 'pi-2', role: 'publisher' },
  { deviceId: 'pi-3', role: 'subscriber' },
] as const;

describe('late results', () => {
  it.each([
    ['three devices', direct],
    [
      'a bridge and the broker behind it',
      [...direct, { deviceId: 'pi-4', role: 'bridge' }, { deviceId: 'pi-5', role: 'cloud-broker' }],
    ],
    [
      'several devices of a role',
      [...direct, { deviceId: 'pi-4', role: 'publisher' }, { deviceId: 'pi-5', role: 'subscriber' }],
    ],
  ] as const)('of %s are complete when the last participant has reported', (_what, participants) => {
    const { run, completed, failures, deliver } = makeGivenUp(participants);
    for (const [index, participant] of participants.entries()) {
      expect(completed, `after ${index}`).toEqual([]);
      expect(deliver(participant)).toBeNull();
    }
    expect(completed).toEqual([run.id]);
    // A duplicate is processed again, because later steps may have failed the first time.
    for (const participant of participants) expect(deliver(participant)).toBeNull();
    expect(new Set(completed)).toEqual(new Set([run.id]));
    expect(failures).toEqual([]);
  });

  it('stay stored if later steps fail, and the failure is reported', () => {
    const { completed, failures, deliver } = makeGivenUp(direct, () => {
      throw new TypeError('no such metric');
    });
    for (const participant of direct) expect(deliver(participant)).toBeNull();
    expect([completed, failures]).toEqual([[], [new TypeError('no such metric')]]);
  });

  it('of a device that did not participate, or had another role, are rejected', () => {
    const { completed, deliver } = makeGivenUp(direct);
    expect(deliver({ deviceId: 'pi-9', role: 'publisher' })).toContain(
      'pi-9 did not have the role publisher',
    );
    expect(deliver({ deviceId: 'pi-1', role: 'subscriber' })).toContain(
      'pi-1 did not have the role subscriber',
    );
    expect(completed).toEqual([]);
  });

  it('are rejected for a run without participants, such as an imported one', () => {
    const { run, stores, deliver } = makeGivenUp([]);
    expect(deliver({ deviceId: 'pi-1', role: 'broker' })).toContain('pi-1 did not have the role broker');
    expect(stores.runs.listRoleResults(run.id)).toEqual([]);
  });
});

const full = () => new StorageError('full', 'The disk is full.', { remedy: 'Free some space.' });
const never = new AbortController().signal;
const base = { signal: never, timeoutMs: 10_000, onWaiting: () => {}, everyMs: 1 };

test('waits for room, reports it once, and returns the stored result', async () => {
  const onWaiting = vi.fn();
  let left = 5;
  const store = () => {
    left -= 1;
    if (left > 0) throw full();
    return 'kept';
  };
  expect(await storeWithRetries(store, { ...base, onWaiting })).toBe('kept');
  expect(onWaiting).toHaveBeenCalledTimes(1);
});

test('ends at the timeout', async () => {
  const store = vi.fn(() => {
    throw full();
  });
  await expect(storeWithRetries(store, { ...base, timeoutMs: 30 })).rejects.toMatchObject({ code: 'full' });
  expect(store.mock.calls.length).toBeGreaterThan(1);
});

test('ends after a few more attempts when it is stopped', async () => {
  const store = vi.fn(() => {
    throw full();
  });
  await expect(storeWithRetries(store, { ...base, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'full',
  });
  expect(store).toHaveBeenCalledTimes(5);
});

test('does not wait for errors that do not pass', async () => {
  const store = vi.fn(() => {
    throw new RangeError('there is no run 7');
  });
  await expect(storeWithRetries(store, base)).rejects.toThrow('no run 7');
  expect(store).toHaveBeenCalledTimes(1);
});
