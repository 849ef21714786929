import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import { expect, test } from 'vitest';
import { type BrokerForm, openForm, readForm } from './broker-form.ts';

const broker: ExternalBroker = {
  label: 'RabbitMQ 3.10',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: 8883,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: 'mq.example',
  username: 'lab',
  hasPassword: true,
  process: null,
  unit: 'rabbitmq-server.service',
};

test('settings survive the form unchanged, with the password kept', () => {
  const { hasPassword: _kept, ...settings } = broker;
  expect(readForm(openForm(broker))).toEqual({ ok: true, body: settings });
  const renamed = readForm({ ...openForm(broker), password: 'new' });
  expect(renamed).toEqual({ ok: true, body: { ...settings, password: 'new' } });
});

test.each<[string, Partial<BrokerForm>, string]>([
  ['no name', { label: ' ' }, 'label'],
  ['an address with a scheme', { address: 'mqtt://192.0.2.7' }, 'address'],
  ['a port that is no number', { tlsPort: '88a' }, 'tlsPort'],
  ['a port out of range', { port: '70000' }, 'port'],
  ['half a port', { port: '1.5' }, 'port'],
  ['no port at all', { port: '', tlsPort: '' }, 'port'],
  ['no version', { mqttVersions: [] }, 'mqttVersions'],
  ['an authority that is none', { authority: 'trust me' }, 'authority'],
  ['a password without a user', { username: '', password: 'secret' }, 'username'],
  ['a process without a name', { sampled: 'process', sampledName: '' }, 'sampledName'],
  ['a unit that is shell text', { sampledName: 'a; rm -rf /' }, 'sampledName'],
])('names the field of %s, and the remedy', (_what, change, field) => {
  const read = readForm({ ...openForm(broker), ...change });
  expect(read.ok ? [] : Object.keys(read.problems)).toEqual([field]);
  for (const problem of read.ok ? [] : Object.values(read.problems)) {
    expect(problem.what).toMatch(/^This /);
    expect(problem.remedy.length).toBeGreaterThan(10);
  }
});
