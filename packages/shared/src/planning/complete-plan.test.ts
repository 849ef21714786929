import { describe, expect, it } from 'vitest';
import * as YAML from 'yaml';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import { makeDraft, makeTestbed } from '../testing/factories.ts';
import { completePlan } from './complete-plan.ts';
import { parsePlan } from './parse-plan.ts';

const testbed = makeTestbed();
const complete = (text: string) => completePlan(YAML.parse(text), makeTestbedView(testbed));

function draftOf(text: string) {
  const completed = complete(text);
  if (!completed.ok) throw new Error(JSON.stringify(completed.issues));
  return completed.draft;
}

function issuesOf(text: string): string[] {
  const completed = complete(text);
  return completed.ok ? [] : completed.issues.map(({ field, reason }) => `${field}: ${reason}`);
}

describe('a plan written by hand', () => {
  it('needs five lines and can start', () => {
    const draft = draftOf(`
factors:
  security: [plain, tls1.3]
  cipherSuite: aes-256-gcm
  qos: [0, 1]
workload: { kind: stream, measure: 10s }
`);
    expect(draft).toMatchObject({
      name: 'Protocol × QoS',
      factors: { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'], qos: [0, 1] },
      workload: { kind: 'stream', measureMs: 10_000, warmUpMs: 3000 },
      repetitions: 5,
      response: 'latency.p50',
    });
    const parsed = parsePlan(draft, testbed);
    expect(parsed.ok && parsed.plan.treatments.length).toBe(4);
  });

  it('takes levels as people say them', () => {
    const draft = draftOf(`
factors:
  Security: TLS1.2
  cipher suite: [AES-256-GCM]
  readingBytes: [1 KB, 0.5KiB, 200]
  keepAlive: 1min
  rate: max
  payload cipher: ascon-aead128
workload: handshake
`);
    expect(draft.factors).toMatchObject({
      security: ['TLS 1.2'],
      readingBytes: [1000, 512, 200],
      keepAlive: [60],
      rate: ['max'],
    });
    expect(draft.factors.cipherSuite?.every((suite) => /^ECDHE-.*AES256-GCM/.test(String(suite)))).toBe(true);
    expect(draft.workload.kind).toBe('handshake');
  });

  it('takes them so wherever levels stand', () => {
    const draft = draftOf(`
factors: { security: [plain, tls1.3], mqttVersion: [3.1.1, 5.0] }
leaveOut: [{ security: plain, mqttVersion: 5.0 }]
thresholds: [{ metric: latency.p95, atMost: 3, where: { security: tls1.3 } }]
`);
    expect(draft).toMatchObject({
      factors: { mqttVersion: ['3.1.1', '5.0'] },
      leaveOut: [{ security: ['plain'], mqttVersion: ['5.0'] }],
      thresholds: [{ where: { security: ['TLS 1.3'] } }],
    });
  });

  it.each([
    [
      'factors: {security: plain}\nworkload: {measureSeconds: 10}',
      'workload.measureSeconds: there is no "measureSeconds": did you mean "measure"?',
    ],
    ['factors: {qoss: 1}', 'factors.qoss: there is no "qoss": did you mean "qos"?'],
    [
      'factors: {security: tls1.4}',
      'factors.security[0]: “tls1.4” is not a level of Protocol: did you mean “TLS 1.2”?',
    ],
    ['factors: {qos: 3}', 'factors.qos[0]: “3” is not a level of QoS'],
    ['factors: {qos: -1}', 'factors.qos[0]: “-1” is not a level of QoS'],
    ['factors: {readingBytes: 102.4}', 'factors.readingBytes[0]: “102.4” is not a level of Reading size'],
    ['factors: {readingBytes: "-1,024 B"}', 'factors.readingBytes[0]: “-1,024 B” is not a level'],
    ['factors: {qos: []}', 'factors.qos: has 0 levels'],
    ['factors: {qos: 0, QoS: 1}', 'factors.QoS: QoS is listed twice'],
    ['factors: {qos: 1}\nrepetition: 3', 'repetition: there is no "repetition": did you mean "repetitions"?'],
    [
      'factors: {qos: 1}\nworkload: {kind: stream, abusers: 3}',
      'workload.abusers: a stream workload has no field “abusers”',
    ],
    ['factors: {qos: 1}\nworkload: {measure: 10}', 'workload.measure: “10” has no known unit'],
    ['factors: {qos: 1}\nworkload: brust', 'workload.kind: there is no "brust": did you mean "burst"?'],
    ['factors: {qos: 1}\nresponse: latency', 'response: there is no metric "latency"'],
    ['repetitions: 3', 'factors: is missing: a plan needs factors to vary'],
    ['- a', 'plan: is not a list of fields'],
  ])('names what is wrong in %j', (text, expected) => {
    expect(issuesOf(text).join('\n')).toContain(expected);
  });

  it.each(['constructor', 'valueOf', 'toString'])('knows no “%s”, though every object has one', (name) => {
    expect(issuesOf(`workload: { kind: stream, ${name}: 1 }`)).toContainEqual(
      expect.stringContaining(`workload.${name}: there is no "${name}"`),
    );
    expect(issuesOf(`workload: { kind: stream, measure: 10 ${name} }`)).toContainEqual(
      expect.stringContaining('has no known unit'),
    );
    expect(issuesOf(`factors: { ${name}: [1] }`)).toContainEqual(expect.stringContaining(name));
  });

  it('lets a complete one through as it is', () => {
    const draft = makeDraft();
    expect(completePlan(draft, makeTestbedView(testbed))).toEqual({ ok: true, draft });
    expect(completePlan({ $schema: 'plan.schema.json', ...draft }, makeTestbedView(testbed))).toEqual({
      ok: true,
      draft,
    });
  });
});
