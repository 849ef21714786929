import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { describeLinks, describeReadiness } from './testbed-step.tsx';

const idle: TestbedStatus = { ...makeTestbed(), busyWith: null };

function offline(...roles: string[]): TestbedStatus {
  const devices = idle.devices.map((device) => ({ ...device, online: !roles.includes(device.role) }));
  return { ...idle, devices };
}

describe('a testbed in the wizard', () => {
  it.each([
    [idle, 'idle: a run can start immediately'],
    [{ ...idle, busyWith: 12 }, 'in use by E-12: this experiment would wait in the queue'],
    [
      { ...idle, probing: { done: 1, total: 3 } },
      'a pre-flight is running: this experiment would start after it',
    ],
    [offline('broker'), 'broker is offline: no run starts until it is back online'],
    [
      { ...offline('broker', 'subscriber'), busyWith: 12 },
      'broker and subscriber are offline: no run starts until they are back online',
    ],
  ])('says whether a run can start, %#', (testbed, words) => {
    expect(describeReadiness(testbed)).toBe(words);
  });

  it('names its links if it has named links', () => {
    expect(describeLinks(idle)).toBeNull();
    const links = ['ethernet', 'wifi'].map((name) => ({ name, interfaces: {} }));
    expect(describeLinks({ links })).toBe('Links: ethernet, wifi');
  });
});
