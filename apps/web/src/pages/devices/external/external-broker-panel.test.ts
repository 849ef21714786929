import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { expect, test } from 'vitest';
import { bestOfEach, makeTestDraft } from './external-broker-panel.tsx';

const broker = {
  label: 'RabbitMQ',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: 8883,
  websocketPort: null,
  mqttVersions: ['3.1.1' as const],
  authority: null,
  serverName: null,
  username: null,
  hasPassword: false,
  process: null,
  unit: null,
};

test.each([
  ['both ports', broker, ['plain', 'TLS 1.2', 'TLS 1.3']],
  ['TLS alone', { ...broker, port: null }, ['TLS 1.2', 'TLS 1.3']],
  ['plain alone', { ...broker, tlsPort: null }, ['plain']],
])('tries every way there is with %s', (_what, externalBroker, expected) => {
  const testbed = makeTestbed({ externalBroker });
  const parsed = parsePlan(makeTestDraft('local', externalBroker), testbed);
  expect(parsed).toMatchObject({ ok: true });
  if (!parsed.ok) return;
  expect([...new Set(parsed.plan.treatments.map(({ spec }) => spec.security))]).toEqual(expected);
  for (const { spec } of parsed.plan.treatments) {
    expect(spec).toMatchObject({ broker: 'external', mqttVersion: '3.1.1', certificate: null });
  }
});

test('a protocol works if one suite works; otherwise every reason is listed', () => {
  const check = (id: number, label: string, status: 'passed' | 'failed') => {
    const rest = { evidence: label.split(',')[1] ?? '', remedy: null, device: 'All' };
    return { ...rest, id: String(id), label: `${label}: broker responds, clients connect`, status };
  };
  const checks = [
    check(1, 'Plain, external broker', 'passed'),
    check(2, 'TLS 1.2, ECDHE-ECDSA', 'failed'),
    check(3, 'TLS 1.2, ECDHE-RSA', 'passed'),
    check(4, 'TLS 1.3, A', 'failed'),
    check(5, 'TLS 1.3, B', 'failed'),
    check(6, 'TLS 1.3, A', 'failed'),
  ];
  expect(bestOfEach(checks).map(({ id }) => id)).toEqual(['1', '3', '4', '5']);
});
