import { describe, expect, it } from 'vitest';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { trialSpecSchema } from '../domain/plans/trial-spec.ts';
import { makeEvidence } from '../testing/evidence.ts';
import { makeTestbed, makeTrialSpec } from '../testing/factories.ts';
import { describeSuite } from './ciphers/suites.ts';
import { factors } from './factors.ts';
import { enoughFor } from './metrics/latency.ts';
import { metrics, summariseMetrics } from './metrics.ts';

const testbed = makeTestbedView(makeTestbed());

describe.each(factors)('factor $id', (factor) => {
  it('has words, a default level and options that its own schema accepts', () => {
    expect(factor.label).not.toBe('');
    expect(factor.help.length).toBeGreaterThan(20);
    expect(factor.schema.safeParse(factor.defaultLevel(testbed)).success).toBe(true);
    const options = factor.options(testbed);
    expect(options.length).toBeGreaterThan(0);
    for (const option of options) {
      expect(factor.schema.safeParse(option.value).success).toBe(true);
      expect(factor.levelLabel(option.value)).not.toBe('');
      expect(factor.shortLabel(option.value)).not.toBe('');
      if (option.refusal) expect(option.refusal.reason && option.refusal.remedy).toBeTruthy();
    }
    expect(new Set(options.map((option) => factor.shortLabel(option.value))).size).toBe(options.length);
  });

  it('writes each level into a valid specification, each into another one', () => {
    const specs = factor.options(testbed).map(({ value }) => factor.apply(makeTrialSpec(), value));
    for (const spec of specs) expect(trialSpecSchema.safeParse(spec).error).toBeUndefined();
    expect(new Set(specs.map((spec) => JSON.stringify(spec))).size).toBe(specs.length);
  });

  it('refuses nonsense', () => {
    for (const nonsense of [Number.NaN, -5, '', '; rm -rf /', 1e12]) {
      expect(factor.schema.safeParse(nonsense).success).toBe(false);
    }
  });
});

describe('suites', () => {
  it.each([
    ['TLS_CHACHA20_POLY1305_SHA256', ['TLS 1.3', 'by group', 'any', 'ChaCha20-Poly1305', true]],
    ['TLS_AES_128_CCM_8_SHA256', ['TLS 1.3', 'by group', 'any', 'AES-128-CCM-8', true]],
    ['ECDHE-ECDSA-AES256-GCM-SHA384', ['TLS 1.2', 'ECDHE', 'ECDSA', 'AES-256-GCM', true]],
    ['DHE-RSA-CHACHA20-POLY1305', ['TLS 1.2', 'DHE', 'RSA', 'ChaCha20-Poly1305', true]],
    ['AES128-GCM-SHA256', ['TLS 1.2', 'RSA', 'RSA', 'AES-128-GCM', false]],
    ['ECDHE-RSA-AES128-CCM8', ['TLS 1.2', 'ECDHE', 'RSA', 'AES-128-CCM-8', true]],
  ])('reads %s', (name, expected) => {
    const { security, keyExchange, authentication, cipher, forwardSecrecy } = describeSuite(name);
    expect([security, keyExchange, authentication, cipher, forwardSecrecy]).toEqual(expected);
  });
});

describe('metrics', () => {
  it('have unique ids, units and words', () => {
    expect(new Set(metrics.map((metric) => metric.id)).size).toBe(metrics.length);
    for (const metric of metrics) expect(metric.unit && metric.label && metric.help).toBeTruthy();
  });

  it('are computed from the evidence', () => {
    expect(summariseMetrics(makeEvidence())).toMatchObject({
      'latency.p50': expect.closeTo(2, 1),
      'latency.p999': null,
      'setUp.total': 3.7,
      'setUp.bytes': 2500,
      'rate.messages': 100,
      'rate.goodput': 80_000,
      'wire.perMessage': 160,
      'wire.overhead': 1.5,
      'count.lost': 0,
      'cpu.broker': 5,
      'cpuPerMessage.publisher': 500,
    });
  });

  it('ask for ten messages beyond each quantile', () => {
    expect([50, 5, 95, 99, 99.9].map(enoughFor)).toEqual([20, 200, 200, 1000, 10_000]);
  });

  it('are null, never a number, without evidence', () => {
    const empty = summariseMetrics({ spec: makeTrialSpec(), results: [] });
    expect(Object.values(empty).every((value) => value === null)).toBe(true);
  });
});
