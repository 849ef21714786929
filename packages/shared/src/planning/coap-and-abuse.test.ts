import { describe, expect, it } from 'vitest';
import { abuseLimits } from '../domain/plans/trial-levels.ts';
import { makeCapabilities, makeDraft, makeTestbed, makeWorkload } from '../testing/factories.ts';
import { estimate, expectedMessages } from './estimate.ts';
import { parsePlan } from './parse-plan.ts';

type Factors = Record<string, (string | number)[]>;

function planOf(
  factors: Factors,
  workload: Parameters<typeof makeWorkload>[0] = {},
  testbed = makeTestbed(),
) {
  const draft = makeDraft({ factors, repetitions: 1, workload: makeWorkload(workload) });
  const parsed = parsePlan(draft, testbed);
  return parsed.ok ? { ...parsed.plan, issues: [] } : { treatments: [], excluded: [], issues: parsed.issues };
}

const coap = ['coap confirmable', 'coap non-confirmable'];

describe('CoAP', () => {
  it('is one treatment for what has no meaning to it', () => {
    const { treatments } = planOf({
      applicationProtocol: ['mqtt', ...coap],
      security: ['plain'],
      qos: [0, 1],
      subscribers: [1, 5],
      mqttVersion: ['3.1.1', '5.0'],
      readingBytes: [1000],
      rate: [50],
    });
    const counts = Map.groupBy(treatments, ({ spec }) => spec.applicationProtocol);
    expect([...counts].map(([name, all]) => [name, all.length])).toEqual([
      ['mqtt', 8],
      ['coap confirmable', 1],
      ['coap non-confirmable', 1],
    ]);
  });

  it('is refused beside TLS with the reason, and stays beside plain', () => {
    const { treatments, excluded } = planOf({
      applicationProtocol: ['coap confirmable'],
      security: ['plain', 'TLS 1.3'],
      readingBytes: [100],
    });
    expect(treatments.map(({ spec }) => spec.security)).toEqual(['plain']);
    expect(excluded[0]?.reasons[0]).toMatchObject({
      factor: 'applicationProtocol',
      reason: expect.stringContaining('DTLS'),
    });
  });

  it.each([
    ['more than a message holds', { readingBytes: [1025] }],
    ['a batch that is more than a message holds', { readingBytes: [300], readingsPerMessage: [4] }],
    ['a payload cipher', { payloadCipher: ['aes-128-gcm'] }],
    ['an encoding for subscribers', { payloadEncoding: ['base64 in JSON'] }],
  ])('is refused for %s', (_what, factors) => {
    const base = { applicationProtocol: ['coap confirmable'], security: ['plain'], readingBytes: [100] };
    const { issues } = planOf({ ...base, ...factors });
    expect(issues[0]).toMatchObject({ field: 'factors.applicationProtocol' });
    expect(issues[0]?.remedy).not.toBe('');
  });

  it('is refused for other workloads, and where an agent does not speak it', () => {
    const factors = { applicationProtocol: coap, security: ['plain'], readingBytes: [100] };
    expect(planOf(factors, { kind: 'handshake' }).issues[0]?.reason).toContain('MQTT connections');
    const testbed = makeTestbed();
    testbed.devices = testbed.devices.map((device) => ({
      ...device,
      capabilities: makeCapabilities(device.role, { applicationProtocols: ['mqtt'] }),
    }));
    expect(planOf(factors, {}, testbed).issues[0]?.reason).toContain('does not support CoAP');
  });
});

describe('a stream of so many messages', () => {
  const factors = { security: ['plain'], rate: [100], publishers: [2] };

  it('is expected to send so many, and to be over then', () => {
    const counted = planOf(factors, { messages: 50, measureMs: 60_000, warmUpMs: 0 });
    const [treatment] = counted.treatments;
    expect(treatment && expectedMessages(treatment)).toBe(100);
    const timed = planOf(factors, { measureMs: 60_000, warmUpMs: 0 });
    if (!('trials' in counted) || !('trials' in timed)) throw new Error('no plan');
    expect(estimate(timed, 0).runMs).toBe(60_000);
    expect(estimate(counted, 0).runMs).toBe(500);
  });

  it.each([
    [{ messages: 0 }, {}],
    [{ messages: 1.5 }, {}],
    [{ messages: 10 }, { client: ['mosquitto clients'] }],
    [{ messages: 10 }, { connectionUse: ['one per message'] }],
  ])('is refused as %j with %j', (workload, more) => {
    expect(planOf({ ...factors, ...more }, workload).issues).toMatchObject([{ field: 'workload.messages' }]);
  });
});

describe('abuse', () => {
  const abused = { security: ['plain'], abuse: ['slow keep-alive', 'persistent sessions'] };
  const kind = 'availability' as const;

  it('varies what is done, and how the broker is configured', () => {
    const { treatments } = planOf({ ...abused, brokerHardening: ['as published', 'hardened'] }, { kind });
    expect(treatments.map(({ shortLabel }) => shortLabel)).toHaveLength(4);
    expect(new Set(treatments.map(({ spec }) => spec.workload))).toEqual(new Set([kind]));
  });

  it('has a size of messages only where sessions hold some', () => {
    const { treatments } = planOf({ ...abused, readingBytes: [100, 200] }, { kind });
    expect(treatments.map(({ levels }) => [levels.abuse, levels.readingBytes])).toEqual([
      ['slow keep-alive', null],
      ['persistent sessions', 100],
      ['persistent sessions', 200],
    ]);
  });

  it('never targets an external broker', () => {
    const testbed = makeTestbed({
      externalBroker: {
        label: 'Theirs',
        address: '192.0.2.7',
        port: 1883,
        tlsPort: null,
        websocketPort: null,
        mqttVersions: ['5.0'],
        authority: null,
        serverName: null,
        username: null,
        hasPassword: false,
        process: null,
        unit: null,
      },
    });
    const { issues } = planOf({ ...abused, broker: ['external'] }, { kind }, testbed);
    expect(issues.map(({ reason }) => reason).join()).toContain('only a broker that this testbed starts');
  });

  it('of sessions needs MQTT 5', () => {
    const { treatments, excluded } = planOf({ ...abused, mqttVersion: ['3.1.1'] }, { kind });
    expect(treatments.map(({ spec }) => spec.abuse)).toEqual(['slow keep-alive']);
    expect(excluded[0]?.reasons[0]?.reason).toContain('Session Expiry');
    const hardened = planOf({ ...abused, mqttVersion: ['3.1.1'], brokerHardening: ['hardened'] }, { kind });
    expect(hardened.treatments).toEqual([]);
  });

  it.each([
    [{ abusers: abuseLimits.connections + 1 }, 'workload.abusers'],
    [{ queuedMessages: abuseLimits.messages + 1 }, 'workload.queuedMessages'],
    [{ abuseMemoryBytes: abuseLimits.memoryBytes + 1 }, 'workload.abuseMemoryBytes'],
    [{ measureMs: abuseLimits.measureMs + 1 }, 'workload.measureMs'],
    [{ abusers: 2000, queuedMessages: 200 }, 'workload.queuedMessages'],
  ])('is bounded: %j is refused', (workload, field) => {
    const { issues } = planOf({ ...abused, readingBytes: [1000] }, { kind, ...workload });
    expect(issues).toMatchObject([{ field }]);
    expect(issues[0]?.remedy).toMatch(/\d|fewer/);
  });
});
