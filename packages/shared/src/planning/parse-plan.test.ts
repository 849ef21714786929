import { describe, expect, it } from 'vitest';
import { makeCapabilities, makeDraft, makeTestbed } from '../testing/factories.ts';
import { parsePlan } from './parse-plan.ts';

function issuesOf(...input: Parameters<typeof makeDraft>) {
  const parsed = parsePlan(makeDraft(...input), makeTestbed());
  return parsed.ok ? [] : parsed.issues;
}

describe('parsePlan', () => {
  it('makes the tour: plain and two suites, QoS 0 and 1, three repetitions', () => {
    const parsed = parsePlan(makeDraft(), makeTestbed());
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    expect(parsed.plan.trials).toHaveLength(18);
    expect(parsed.plan.varied).toEqual(['security', 'cipherSuite', 'qos']);
    expect(parsed.plan.treatments.map((treatment) => treatment.shortLabel)).toEqual([
      'Plain · QoS 0',
      'Plain · QoS 1',
      'TLS 1.3 · AES-256-GCM · QoS 0',
      'TLS 1.3 · AES-256-GCM · QoS 1',
      'TLS 1.3 · ChaCha20-Poly1305 · QoS 0',
      'TLS 1.3 · ChaCha20-Poly1305 · QoS 1',
    ]);
    expect(parsed.plan.treatments.map((treatment) => treatment.mark)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('counts plain once, whatever suites, groups and certificates are chosen', () => {
    const factors = {
      security: ['plain'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256'],
      certificate: ['ECDSA P-256', 'RSA 2048'],
    };
    const parsed = parsePlan(makeDraft({ factors, repetitions: 1 }), makeTestbed());
    expect(parsed.ok && parsed.plan.trials.length).toBe(1);
    expect(parsed.ok && parsed.plan.treatments[0]?.spec).toMatchObject({ cipherSuite: null, group: null });
  });

  it('keeps impossible combinations with their reasons', () => {
    const factors = { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] };
    const parsed = parsePlan(makeDraft({ factors }), makeTestbed());
    expect(parsed.ok).toBe(true);
    if (!parsed.ok) return;
    expect(parsed.plan.treatments).toHaveLength(1);
    expect(parsed.plan.excluded).toHaveLength(1);
    expect(parsed.plan.excluded[0]?.reasons[0]).toMatchObject({
      factor: 'cipherSuite',
      reason: 'TLS 1.2 cannot negotiate it',
    });
  });

  it('refuses a group that the broker lacks, an RSA suite with an ECDSA key, a link that is down', () => {
    const refused = (factors: Record<string, (string | number)[]>) =>
      issuesOf({ factors }).map((i) => i.field);
    expect(refused({ security: ['TLS 1.3'], group: ['X25519MLKEM768'] })).toEqual(['factors.group']);
    const rsa = {
      security: ['TLS 1.2'],
      cipherSuite: ['ECDHE-RSA-AES256-GCM-SHA384'],
      certificate: ['ECDSA P-256'],
    };
    expect(refused(rsa)).toEqual(['factors.certificate']);
    expect(refused({ security: ['plain'], link: ['wlan0'] })).toEqual(['factors.link']);
  });

  it('refuses MQTT 5 on a broker without it', () => {
    const testbed = makeTestbed();
    const broker = makeCapabilities('broker');
    const [mosquitto] = broker.brokers;
    if (!testbed.devices[0] || !mosquitto) throw new Error('the factory makes a broker');
    testbed.devices[0].capabilities = {
      ...broker,
      brokers: [{ ...mosquitto, kind: 'embedded', mqttVersions: ['3.1.1'] }],
    };
    const parsed = parsePlan(makeDraft({ factors: { security: ['plain'], mqttVersion: ['5.0'] } }), testbed);
    expect(parsed.ok ? [] : parsed.issues[0]?.reason).toContain('does not support MQTT 5.0');
  });

  it.each([
    ['no repetitions', { repetitions: 0 }, 'repetitions'],
    ['half a repetition', { repetitions: 1.5 }, 'repetitions'],
    ['ten million runs', { repetitions: 1e7 }, 'repetitions'],
    ['a negative size', { factors: { readingBytes: [-1] } }, 'factors.readingBytes[0]'],
    ['a billion messages a second', { factors: { rate: [1e9] } }, 'factors.rate[0]'],
    [
      'a payload over the limit',
      { factors: { security: ['plain'], readingBytes: [1_048_576], readingsPerMessage: [65_536] } },
      'factors.readingBytes',
    ],
    ['an unknown factor', { factors: { colour: ['red'] } }, 'factors.colour'],
    [
      'an unknown suite',
      { factors: { security: ['TLS 1.3'], cipherSuite: ['TLS_NOPE'] } },
      'factors.cipherSuite',
    ],
    ['an unknown metric', { response: 'beauty' }, 'response'],
    ['an unknown testbed', { testbedId: 'moon' }, 'testbedId'],
    ['no name', { name: '  ' }, 'name'],
    ['a seed that is none', { seed: -1 }, 'seed'],
    ['no measuring', { workload: { ...makeDraft().workload, measureMs: 0 } }, 'workload.measureMs'],
    [
      'too many runs',
      { repetitions: 1000, factors: { security: ['plain'], readingBytes: [20, 30, 40, 50], qos: [0, 1, 2] } },
      'repetitions',
    ],
  ])('refuses %s, with field and remedy', (_what, change, field) => {
    const issues = issuesOf(change);
    expect(issues.map((issue) => issue.field)).toContain(field);
    for (const issue of issues) {
      expect(issue.reason).not.toBe('');
      expect(issue.remedy).not.toBe('');
    }
  });

  it('refuses an explosion of levels before it makes the combinations', () => {
    const many = Array.from({ length: 100 }, (_, index) => index + 20);
    const issues = issuesOf({ factors: { readingBytes: many, readingsPerMessage: many, rate: many } });
    expect(issues[0]?.reason).toContain('combinations');
  });

  it('refuses what is no draft, naming the fields', () => {
    const parsed = parsePlan({ name: 7, surprise: true }, makeTestbed());
    expect(parsed.ok ? [] : parsed.issues.map((issue) => issue.field)).toContain('name');
  });

  it('says which role is missing', () => {
    const testbed = makeTestbed();
    if (testbed.devices[2]) testbed.devices[2].online = false;
    const parsed = parsePlan(makeDraft(), testbed);
    expect(parsed.ok ? '' : parsed.issues[0]?.reason).toBe('This machine has no subscriber online');
  });
});
