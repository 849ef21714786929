import { roles } from '@mqttlab/shared/domain/devices/device';
import { comparedId } from '@mqttlab/shared/domain/runs/comparison';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { parseCompareState, writeCompareState } from './compare-state.ts';

const word = fc.stringMatching(/^[A-Za-z0-9~=;:. -]{1,40}$/);

const range = fc
  .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 0, max: 999 }))
  .map(([from, length]) => [from, from + length] as const);

const treatment = word.map((key) => comparedId(3, key));

describe('compare state', () => {
  it('round-trips through the address', () => {
    const states = fc.record({
      experiments: fc.constantFrom('', '1', '1,22,333'),
      runs: fc.constantFrom('', '7', '7,8'),
      metric: word,
      baseline: treatment,
      hidden: fc.array(treatment, { maxLength: 4 }),
      group: fc.constantFrom('', 'none', 'qos'),
      colour: fc.constantFrom('', 'cipherSuite'),
      without: fc.array(word, { maxLength: 4 }),
      more: fc.array(word, { maxLength: 4 }),
      x: word,
      y: word,
      front: fc.constantFrom('all', 'others'),
      scale: fc.constantFrom('auto', 'linear', 'log'),
      unit: fc.constantFrom('absolute', 'baseline'),
      marked: fc.array(treatment, { maxLength: 4 }),
      brush: fc.option(fc.record({ metric: fc.constantFrom('latency.p50', 'cpu.broker'), range })),
      window: fc.option(range),
      flagged: fc.boolean(),
      allParameters: fc.boolean(),
      role: fc.constantFrom(...roles),
      series: word,
    });
    fc.assert(
      fc.property(states, (state) => {
        expect(parseCompareState(writeCompareState(state))).toEqual(state);
      }),
    );
  });

  it('stays short', () => {
    const key = 'security=TLS 1.3;cipherSuite=TLS_AES_256_GCM_SHA384;qos=1';
    expect(comparedId(7, key)).toMatch(/^7~[0-9a-z]{1,7}$/);
  });

  it('keeps defaults out of the address', () => {
    expect(writeCompareState(parseCompareState('experiments=4'))).toBe('experiments=4');
  });

  it('falls back to defaults for invalid values', () => {
    expect(parseCompareState('experiments=1;drop&role=king&flagged=maybe')).toMatchObject({
      experiments: '',
      role: 'subscriber',
      flagged: false,
    });
  });
});
