import { neutralSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';
import { describe, expect, it } from 'vitest';

import type { Participant } from '../devices/testbeds.ts';
import { expectedAt, hasParticipants, RunDevices, selectParticipants, specOf } from './run-devices.ts';

function device(
  deviceId: string,
  role: Participant['role'],
  interfaces?: Record<string, string>,
): Participant {
  return { deviceId, name: deviceId, role, ...(interfaces && { interfaces }) };
}

const testbed = [
  device('b', 'broker'),
  device('p1', 'publisher', { wifi: 'wlan0' }),
  device('p2', 'publisher', { wifi: 'wlx1' }),
  device('s1', 'subscriber'),
  device('s2', 'subscriber'),
  device('s3', 'subscriber'),
];

describe('the devices of a run', () => {
  it('divide publishers and subscribers, each with separate numbers', () => {
    const spec = { ...neutralSpec, publishers: 5, subscribers: 7, connections: 9, link: 'wifi' };
    const all = selectParticipants(testbed, spec);
    const shares = all.map(({ deviceId, share, clients }) => [deviceId, clients, share?.first, share?.of]);
    expect(shares).toEqual([
      ['b', 0, undefined, undefined],
      ['p1', 3, 0, 2],
      ['p2', 2, 3, 2],
      ['s1', 3, 0, 3],
      ['s2', 2, 3, 3],
      ['s3', 2, 5, 3],
    ]);
    const own = all.map((one) => specOf(one, spec));
    expect(own.map(({ publishers }) => publishers)).toEqual([5, 3, 2, 5, 5, 5]);
    expect(own.map(({ subscribers }) => subscribers)).toEqual([7, 7, 7, 3, 2, 2]);
    expect(own.map(({ connections }) => connections)).toEqual([9, 5, 4, 9, 9, 9]);
    expect(own.map(({ link }) => link)).toEqual(['wifi', 'wlan0', 'wlx1', 'wifi', 'wifi', 'wifi']);
    expect(all.map((one) => expectedAt(one, spec, 10))).toEqual([0, 30, 20, 30, 20, 20]);
  });

  it('are only those with work, and a single device does everything', () => {
    const all = selectParticipants(testbed, { ...neutralSpec, publishers: 1, subscribers: 2 });
    expect(all.map(({ deviceId }) => deviceId)).toEqual(['b', 'p1', 's1', 's2']);
    expect(all.map(({ share }) => share?.of ?? null)).toEqual([null, null, 2, 2]);
  });

  it('publish on the planned number of devices of a pool, and on none if fewer are online', () => {
    const pool = (id: string, name: string) => ({ ...device(id, 'publisher'), pool: name });
    const cluster = [device('b', 'broker'), device('s', 'subscriber'), pool('x', 'slow'), pool('l1', 'load')];
    const four = [...cluster, pool('l2', 'load'), pool('l3', 'load')];
    const spec = { ...neutralSpec, publishers: 40, options: { loadAgents: 2, loadPool: 'load' } };
    const publishing = selectParticipants(four, spec).filter(({ role }) => role === 'publisher');
    expect(publishing.map(({ deviceId, clients }) => [deviceId, clients])).toEqual([
      ['l1', 20],
      ['l2', 20],
    ]);
    expect(hasParticipants(cluster, spec)).toBe(false);
    expect(() => selectParticipants(cluster, spec)).toThrow(
      'requires 2 load agents from pool load, but 1 are online',
    );
    expect(() => selectParticipants(four.slice(1), spec)).toThrow('No broker in this testbed is online');
  });

  it('do not predict which of several devices receives a message of a shared subscription', () => {
    const spec = { ...neutralSpec, subscribers: 2, sharedSubscription: true };
    const subscribers = selectParticipants(testbed, spec).filter(({ role }) => role === 'subscriber');
    expect(subscribers.map((one) => expectedAt(one, spec, 10))).toEqual([null, null]);
    const [only] = selectParticipants(testbed.slice(0, 4), spec).filter(({ role }) => role === 'subscriber');
    expect(only && expectedAt(only, spec, 10)).toBe(10);
  });
});

describe('a lost connection', () => {
  const lost = { code: 'connection-lost', message: 'The broker closed it.', remedy: 'Look at its log.' };
  const gone = { code: 'agent-lost', message: 'The connection to b ended.', remedy: 'Look at it.' };

  async function causeWhere(exchangeClock: () => Promise<unknown>): Promise<unknown> {
    const [participant] = selectParticipants(testbed, neutralSpec);
    if (participant === undefined) throw new Error('no participant');
    const listening = Promise.withResolvers<(deviceId: string, failure: typeof lost) => void>();
    const agents = {
      findAgent: () => ({ exchangeClock }),
      listenToRun(_runId: number, listener: { onFailure(deviceId: string, failure: typeof lost): void }) {
        listening.resolve(listener.onFailure.bind(listener));
        return () => {};
      },
    };
    const devices = new RunDevices({
      agents: agents as never,
      runId: 1,
      participants: [participant],
      signal: new AbortController().signal,
      listener: {} as never,
    });
    const wait = devices.unlessBroken(new Promise(() => {})).catch((error: unknown) => error);
    (await listening.promise)('p1', lost);
    return wait;
  }

  it('is reported as a lost device if one does not answer, however late its end is detected', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      throw new Failure(gone);
    };
    expect(await causeWhere(late)).toMatchObject(gone);
    expect(await causeWhere(async () => ({}))).toMatchObject(lost);
  });
});
