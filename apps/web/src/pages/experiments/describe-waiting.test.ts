import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { describe, expect, it } from 'vitest';
import { formatClock } from '../../ui/format.ts';
import { describeWaiting } from './describe-waiting.ts';

const untilAt = Date.UTC(2026, 10, 22, 14, 5, 20);

function testbedWith(part: Partial<TestbedStatus>): TestbedStatus {
  return {
    testbedId: 'bench',
    name: 'Bench',
    externalBroker: null,
    busyWith: null,
    devices: ['pi-1', 'pi-2'].map((deviceId) => ({
      deviceId,
      name: `The ${deviceId}`,
      role: 'publisher' as const,
      online: true,
      capabilities: null,
    })),
    ...part,
  };
}

const running = { id: 7, status: 'running' } as const;
const queued = { id: 7, status: 'queued' } as const;

describe('what an experiment waits for', () => {
  it('are devices that may hold results, by their names, with the time and what to look at', () => {
    const waiting = { deviceIds: ['pi-2'], runIds: [12], untilAt };
    const words = describeWaiting(running, testbedWith({ busyWith: 7, waiting }));
    expect(words).toMatchObject({
      short: 'waits for The pi-2',
      reason: `Waiting for The pi-2 until ${formatClock(untilAt)}: it may hold results of run 12.`,
      remedy: expect.stringContaining('switched on and connected'),
    });
    const both = { ...waiting, deviceIds: ['pi-1', 'pi-2'], runIds: [12, 13] };
    expect(describeWaiting(running, testbedWith({ busyWith: 7, waiting: both }))?.reason).toContain(
      'The pi-1 and The pi-2 until',
    );
    const bench = testbedWith({ busyWith: 7, waiting: both });
    const oneBack = bench.devices.map((device) => ({ ...device, online: device.deviceId === 'pi-1' }));
    expect(describeWaiting(running, { ...bench, devices: oneBack })?.short).toBe('waits for The pi-2');
    // Of another experiment: it is that one's wait.
    expect(describeWaiting(queued, testbedWith({ busyWith: 5, waiting }))?.short).toBe('after E-5');
  });

  it('is a device that was drained, also in the middle of an experiment', () => {
    const drained = testbedWith({ draining: ['pi-1'] });
    for (const experiment of [queued, running]) {
      expect(describeWaiting(experiment, drained)).toMatchObject({
        short: 'The pi-1 drained',
        remedy: expect.stringContaining('Give it runs again'),
      });
    }
    // The run under way goes on to its end.
    expect(describeWaiting(running, testbedWith({ draining: ['pi-1'], busyWith: 7 }))).toBeNull();
  });

  it('is whoever has the testbed', () => {
    expect(describeWaiting(queued, testbedWith({ busyWith: 5 }))?.reason).toBe('E-5 has Bench now.');
    expect(describeWaiting(queued, testbedWith({ probing: { done: 1, total: 2 } }))?.short).toBe(
      'after a pre-flight',
    );
  });

  it('is nothing where a run goes on, and where none is to come', () => {
    expect(describeWaiting(running, testbedWith({ busyWith: 7 }))).toBeNull();
    expect(describeWaiting(queued, testbedWith({}))).toBeNull();
    expect(describeWaiting(queued, undefined)).toBeNull();
    for (const status of ['done', 'paused', 'draft'] as const) {
      expect(describeWaiting({ id: 7, status }, testbedWith({ busyWith: 5, draining: ['pi-1'] }))).toBeNull();
    }
  });
});
