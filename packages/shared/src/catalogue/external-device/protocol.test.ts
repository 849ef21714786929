import { expect, test } from 'vitest';
import { makeTrialSpec } from '../../testing/factories.ts';
import { readDeviceLine, scheduleFor, writeStart } from './protocol.ts';

const at = { warmUpAtUs: 10_000_000, measureAtUs: 10_500_000, stopAtUs: 12_500_000 };
const spec = makeTrialSpec({ readingsPerSecond: 100, readingBytes: 25, readingsPerMessage: 4, qos: 1 });

test('a schedule is in the clock of the device, and its measured part begins on an interval', () => {
  const schedule = scheduleFor(spec, at, { toDeviceUs: -9_000_000, roundTrip: true });
  expect(schedule).toEqual({
    qos: 1,
    payloadBytes: 100,
    intervalUs: 40_000,
    firstUs: 1_500_000 - 12 * 40_000,
    measureUs: 1_500_000,
    stopUs: 3_500_000,
    planned: 50,
    timeEvery: 1,
  });
  expect(writeStart(schedule, { runTag: 7, offsetUs: 9_000_000.4, topic: 'mqttlab/readings' })).toBe(
    'start 7 1 100 40000 1020000 1500000 3500000 9000000 1 mqttlab/readings',
  );
});

test('a load of so many messages ends with them, and of long ones only some are timed', () => {
  const few = scheduleFor({ ...spec, messages: 7 }, at, { toDeviceUs: 0, roundTrip: false });
  expect(few).toMatchObject({ planned: 7, stopUs: at.measureAtUs + 7 * 40_000, timeEvery: 0 });
  const long = { ...at, stopAtUs: at.measureAtUs + 600e6 };
  expect(scheduleFor(spec, long, { toDeviceUs: 0, roundTrip: true })).toMatchObject({
    planned: 15_000,
    timeEvery: 8,
  });
});

test.each([
  ['hello 1 esp-mqtt v5.1', { kind: 'hello', version: 1, program: 'esp-mqtt v5.1' }],
  ['clock 3 5000000000000', { kind: 'clock', id: 3, atUs: 5_000_000_000_000 }],
  ['echo 1', { kind: 'echo', subscribed: 1 }],
  ['key 1', { kind: 'key', agreed: 1 }],
  ['round 12 13', { kind: 'round', us: [12, 13] }],
  ['sent 50 49 1', { kind: 'sent', sent: 50, acknowledged: 49, late: 1 }],
  ['gone', { kind: 'gone' }],
])('reads %s', (text, line) => expect(readDeviceLine(text)).toEqual(line));

test.each([
  '',
  'hello',
  'clock 3',
  'sent 50 49',
  'sent -1 0 0',
  'sent 1.5 0 0',
  'sent a b c',
  'reboot',
  'constructor',
])('takes "%s" for no line', (text) => expect(readDeviceLine(text)).toBeNull());
