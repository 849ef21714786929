import { expect, it } from 'vitest';
import { makeTestStores } from '../testing/stores-factory.ts';
import { identifyAgent, makeEnrol } from './agent-tokens.ts';

const hour = 3_600_000;

function startEnrolling() {
  const clock = { ms: 1_000 };
  const online = new Set<string>();
  const published: string[] = [];
  const stores = makeTestStores(() => clock.ms);
  const enrol = makeEnrol({
    ...stores,
    testbeds: stores.testbeds,
    isOnline: (deviceId) => online.has(deviceId),
    onEnrolled: ({ deviceId }, pool) => void published.push(`${deviceId} in ${pool}`),
  });
  const tokenFor = (pool: string, uses = 1) =>
    stores.enrolments.createEnrolment({ pool, uses, hours: 1 }).secret;
  return { ...stores, clock, online, published, enrol, tokenFor };
}

it('an agent gets a separate token and the role of its pool, as often as the enrolment token allows', () => {
  const { enrol, tokenFor, testbeds, devices, published, enrolments } = startEnrolling();
  const pools = [{ pool: 'load', role: 'subscriber' as const }];
  testbeds.saveTestbed({ testbedId: 'lab', name: 'Lab', links: [], pools, devices: [] });
  const secret = tokenFor('load', 2);
  const first = enrol(secret, 'mqttlab-load-7c9d8f6b5-x2x4q');
  if (!first || !('token' in first)) throw new Error('it was refused');
  expect(first.identity).toMatchObject({ deviceId: 'mqttlab-load-7c9d8f6b5-x2x4q', role: 'subscriber' });
  expect(identifyAgent(devices, first.token)).toEqual(first.identity);
  expect(testbeds.findTestbedRecord('lab')?.devices).toMatchObject([
    { deviceId: 'mqttlab-load-7c9d8f6b5-x2x4q', pool: 'load' },
  ]);
  expect(enrolments.listEnrolments()).toMatchObject([{ usesLeft: 1 }]);
  // The end of a long name is kept, because it distinguishes pods.
  expect(enrol(secret, `${'x'.repeat(60)}-end`)).toMatchObject({ identity: { role: 'subscriber' } });
  expect(enrol(secret, 'third')).toBeNull();
  expect(published).toEqual(['mqttlab-load-7c9d8f6b5-x2x4q in load', `${'x'.repeat(36)}-end in load`]);
});

it('no agent enrols with an unknown, expired or revoked token', () => {
  const { enrol, tokenFor, clock, enrolments } = startEnrolling();
  expect(enrol('mql_unknown', 'a')).toBeNull();
  const secret = tokenFor('load');
  clock.ms += hour;
  expect(enrol(secret, 'a')).toBeNull();
  const other = enrolments.createEnrolment({ pool: 'load', uses: 1, hours: 1 });
  expect(enrolments.removeEnrolment(other.enrolment.id)).toBe(true);
  expect(enrol(other.secret, 'a')).toBeNull();
});

it('a name cannot take over another device, and a refusal uses up no enrolment', () => {
  const { enrol, tokenFor, online, devices, enrolments } = startEnrolling();
  devices.saveDevice({ id: 'pi', name: 'Pi', role: 'broker', testbedId: '', tokenHash: 'hash' });
  const load = tokenFor('load', 3);
  expect(enrol(load, 'Pi')).toMatchObject({ detail: 'there is a device pi already.' });
  expect(enrol(load, '---')).toMatchObject({ remedy: expect.stringContaining('--name') });
  enrol(load, 'pod-1');
  online.add('pod-1');
  expect(enrol(load, 'pod-1')).toHaveProperty('detail');
  online.delete('pod-1');
  devices.touchDevice('pod-1');
  expect(enrol(tokenFor('other'), 'pod-1')).toHaveProperty('detail');
  // Offline, in the same pool, and without its token: its disk was lost.
  expect(enrol(load, 'pod-1')).toHaveProperty('token');
  expect(enrolments.listEnrolments().find(({ pool }) => pool === 'load')?.usesLeft).toBe(1);
});

it('an agent that did not receive the answer enrols again without using up an enrolment', () => {
  const { enrol, tokenFor, devices } = startEnrolling();
  const secret = tokenFor('load');
  expect(enrol(secret, 'pod-1')).toHaveProperty('token');
  expect(enrol(secret, 'pod-1')).toHaveProperty('token');
  expect(enrol(secret, 'pod-2')).toBeNull();
  devices.touchDevice('pod-1');
  expect(enrol(secret, 'pod-1')).toBeNull();
});
