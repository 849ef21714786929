import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import { expect, it } from 'vitest';
import { makeDeviceStates } from './device-states.ts';

function makeRig() {
  const at = { now: 1_700_000_000_000, online: true, busy: false };
  const contacts: number[] = [];
  let changes = 0;
  const states = makeDeviceStates({
    isOnline: () => at.online,
    isBusy: () => at.busy,
    onContact: () => contacts.push(at.now),
    onChange: () => {
      changes += 1;
    },
    nowMs: () => at.now,
  });
  const note = (change: Partial<DeviceHealth> = {}) =>
    states.noteHealth('pi', { unixMs: at.now, diskFreeBytes: 5e9, cpuPercent: 1, throttling: [], ...change });
  return { at, contacts, states, note, changes: () => changes };
}

it('is online, busy, degraded with its reasons, offline', () => {
  const { at, states, note, changes } = makeRig();
  note();
  expect(states.findDeviceStatus('pi')).toEqual({ state: 'online', reasons: [] });
  expect(changes()).toBe(0);
  note({ diskFreeBytes: 1e6 });
  const reasons = ['its disk is nearly full (1 MB free)'];
  expect(states.findDeviceStatus('pi')).toEqual({ state: 'degraded', reasons });
  at.busy = true;
  expect(states.findDeviceStatus('pi')).toEqual({ state: 'busy', reasons });
  note({ diskFreeBytes: 1e6 });
  expect(changes()).toBe(1);
  at.online = false;
  states.forgetDevice('pi');
  expect(states.findDeviceStatus('pi')).toEqual({ state: 'offline', reasons: [] });
  at.online = true;
  at.busy = false;
  expect(states.findDeviceStatus('pi')).toEqual({ state: 'online', reasons: [] });
});

it('keeps the latest report until the device disconnects', () => {
  const { at, states, note } = makeRig();
  expect(states.findHealthReading('pi')).toBeNull();
  note({ unixMs: at.now + 7, cpuPercent: 12, temperatureC: 48.5 });
  const reading = {
    receivedAt: at.now,
    cpuPercent: 12,
    temperatureC: 48.5,
    clockAheadMs: 7,
    diskFreeBytes: 5e9,
  };
  expect(states.findHealthReading('pi')).toEqual(reading);
  note();
  expect(states.findHealthReading('pi')).toMatchObject({ temperatureC: null, clockAheadMs: 0 });
  at.online = false;
  expect(states.findHealthReading('pi')).toBeNull();
});

it('stores the last contact once a minute, and when the device disconnects', () => {
  const { at, contacts, states, note } = makeRig();
  const begun = at.now;
  for (let i = 0; i < 30; i += 1) {
    note();
    at.now += 5_000;
  }
  expect(contacts.map((contact) => contact - begun)).toEqual([0, 60_000, 120_000]);
  states.forgetDevice('pi');
  expect(contacts.at(-1)).toBe(at.now);
});
