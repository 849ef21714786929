import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import {
  brokerName,
  compareOffers,
  describeCrypto,
  describeDevice,
  describeHealth,
  describeOffer,
} from './describe-device.ts';

describe('health in words', () => {
  const health = { receivedAt: 0, cpuPercent: 3.4, temperatureC: 48.6, clockAheadMs: 4, diskFreeBytes: 12e9 };
  const wordsOf = (change: Partial<typeof health>) =>
    describeHealth({ ...health, ...change }).map(
      ({ label, value }) => `${label}: ${value.replaceAll('\u00a0', ' ')}`,
    );

  it('names CPU, temperature, clock and disk', () => {
    expect(wordsOf({})).toEqual([
      'CPU: 3 %',
      'Temperature: 49 °C',
      'Clock: same as server',
      'Free disk: 12.0 GB',
    ]);
  });

  it('gives the size and direction of a clock difference', () => {
    const clockOf = (clockAheadMs: number) => wordsOf({ clockAheadMs })[2];
    expect([350, -3000, 400_000].map(clockOf)).toEqual([
      'Clock: 350 ms ahead',
      'Clock: 3 s behind',
      'Clock: 7 min ahead',
    ]);
  });

  it('leaves out what the device does not report', () => {
    const unknown = {
      receivedAt: 0,
      cpuPercent: null,
      temperatureC: null,
      clockAheadMs: 0,
      diskFreeBytes: null,
    };
    expect(describeHealth(unknown).map(({ label }) => label)).toEqual(['Clock']);
  });
});

describe('devices in words', () => {
  it('names processor, system and broker', () => {
    expect(describeDevice({ capabilities: makeCapabilities('broker') })).toBe(
      '4 × Test CPU, Debian 12, mosquitto 2.0.11',
    );
    expect(describeDevice({ capabilities: makeCapabilities('publisher') })).toBe('4 × Test CPU, Debian 12');
    expect(describeDevice({ capabilities: null })).toBe('not known yet');
  });

  it('recognises a device that cannot be a broker', () => {
    expect(brokerName(makeCapabilities('subscriber'))).toBeNull();
  });

  it.each([
    [['aes', 'avx2'], 'AES in hardware'],
    [['neon'], 'no AES in hardware: ChaCha20-Poly1305 is often the faster suite here'],
    [[], 'no features reported'],
  ])('%j: %s', (cpuFeatures, words) => {
    expect(describeCrypto({ cpuFeatures })).toBe(words);
  });

  it('distinguishes shared features from features of one device', () => {
    expect(
      compareOffers(
        ['a', 'b', 'c'],
        [
          { device: 'broker', offer: ['b', 'c'] },
          { device: 'client', offer: ['c', 'd', 'b', 'a'] },
        ],
      ),
    ).toEqual({ shared: ['b', 'c'], alone: ['a'], missingOn: ['broker'] });
  });

  it('names the devices without a feature', () => {
    const of = (...others: string[][]) =>
      describeOffer(
        compareOffers(
          ['a', 'b'],
          others.map((offer, i) => ({ device: `device ${i + 1}`, offer })),
        ),
      );
    expect(of(['a', 'b'])).toBe('2 usable here');
    expect(of(['b'], ['b'], ['a', 'b'])).toBe('1 usable here, 1 missing on device 1 and device 2');
  });
});
