import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { formatClock, listNames } from '../../ui/format.ts';
import { experimentCode } from './describe-experiment.ts';

export interface WaitingWords {
  /** For a list: "waits for pi-2". */
  short: string;
  reason: string;
  remedy: string;
}

type Asked = Pick<ExperimentSummary, 'id' | 'status'>;

/** What keeps an experiment from its next run, and what to do about it; null while nothing does. Pure. */
export function describeWaiting(
  { id, status }: Asked,
  testbed: TestbedStatus | undefined,
): WaitingWords | null {
  if (!testbed || !(status === 'queued' || status === 'running')) return null;
  const { busyWith, waiting, probing, draining = [] } = testbed;
  if (waiting && busyWith === id) return forDevices(testbed, waiting);
  if (draining.length > 0 && busyWith !== id) {
    const names = namesOf(testbed, draining);
    return {
      short: `${names} drained`,
      reason: `${names} ${draining.length === 1 ? 'gets' : 'get'} no new runs, so that none starts on ${testbed.name}.`,
      remedy: 'Press “Give it runs again” on the Devices page.',
    };
  }
  if (status !== 'queued') return null;
  if (busyWith !== null && busyWith !== id) {
    const other = experimentCode(busyWith);
    return {
      short: `after ${other}`,
      reason: `${other} has ${testbed.name} now.`,
      remedy: 'This one starts by itself when it is over.',
    };
  }
  if (!probing) return null;
  return {
    short: 'after a pre-flight',
    reason: `A pre-flight goes on, on ${testbed.name}.`,
    remedy: 'This one starts by itself when it is over.',
  };
}

function forDevices(testbed: TestbedStatus, waiting: NonNullable<TestbedStatus['waiting']>): WaitingWords {
  const { runIds, untilAt } = waiting;
  const isAway = (id: string) => testbed.devices.some(({ deviceId, online }) => deviceId === id && !online);
  // Those that came back meanwhile deliver what they hold.
  const away = waiting.deviceIds.filter(isAway);
  const deviceIds = away.length > 0 ? away : waiting.deviceIds;
  const names = namesOf(testbed, deviceIds);
  const [it, runs] = [deviceIds.length === 1 ? 'it' : 'they', runIds.length === 1 ? 'run' : 'runs'];
  return {
    short: `waits for ${deviceIds.length > 1 ? `${deviceIds.length} devices` : names}`,
    reason: `Waiting for ${names} until ${formatClock(untilAt)}: ${it} may hold results of ${runs} ${runIds.join(', ')}.`,
    remedy: `Look whether ${it} ${it === 'it' ? 'is' : 'are'} switched on and connected. What does not come back by then is run again.`,
  };
}

function namesOf({ devices }: TestbedStatus, deviceIds: readonly string[]): string {
  return listNames(
    deviceIds.map((deviceId) => devices.find((device) => device.deviceId === deviceId)?.name ?? deviceId),
  );
}
