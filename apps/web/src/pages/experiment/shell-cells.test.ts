import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { describe, expect, it } from 'vitest';
import { testbedWords } from '../../ui/shell/top-bar.tsx';
import { testbedCellOf } from './shell-cells.ts';

type Device = TestbedStatus['devices'][number];

function testbedOf(
  devices: readonly Pick<Device, 'online' | 'standby'>[],
  part: Partial<TestbedStatus> = {},
): TestbedStatus {
  return {
    testbedId: 'bench',
    name: 'Bench',
    externalBroker: null,
    busyWith: null,
    devices: devices.map((device, index) => ({
      deviceId: `pi-${index}`,
      name: `pi-${index}`,
      role: 'publisher',
      capabilities: null,
      ...device,
    })),
    ...part,
  };
}

const on = { online: true };
const off = { online: false };
const standby = { online: true, standby: true };

function wordsOf(...testbeds: TestbedStatus[]): string {
  const cell = testbedCellOf({ ready: true, testbeds });
  return cell ? `${cell.name}: ${testbedWords(cell)}` : String(cell);
}

describe('the testbed in the top bar', () => {
  it.each([
    ['counts those on standby by themselves', [on, on, on, standby, standby], '3 online, 2 on standby'],
    ['says who is off', [on, off, on], '2 online, 1 off'],
    ['says so when nobody is there', [off, off, off], '3 off'],
    [
      'does not take a stand-in that is gone for a device that is off',
      [off, off, off, { ...standby, online: false }],
      '3 off, 1 on standby',
    ],
  ])('%s', (_what, devices, words) => {
    expect(wordsOf(testbedOf(devices))).toBe(`Bench: idle, ${words}`);
    expect(wordsOf(testbedOf(devices, { busyWith: 7 }))).toBe(`Bench: in use, ${words}`);
  });

  it('is the one in use, else the first', () => {
    const first = testbedOf([on], { name: 'First' });
    const second = testbedOf([on, on], { name: 'Second' });
    expect(wordsOf(first, second)).toBe('First: idle, 1 online');
    expect(wordsOf(first, { ...second, busyWith: 7 })).toBe('Second: in use, 2 online');
    expect(wordsOf()).toBe('null');
    expect(testbedCellOf({ ready: false, testbeds: [first] })).toBeUndefined();
  });
});
