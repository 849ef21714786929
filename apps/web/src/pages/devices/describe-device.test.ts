import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { brokerName, compareOffers, describeCrypto, describeDevice } from './describe-device.ts';

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
          ['b', 'c'],
          ['c', 'd', 'b'],
        ],
      ),
    ).toEqual({ shared: ['b', 'c'], alone: ['a'] });
  });
});
