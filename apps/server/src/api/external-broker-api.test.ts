import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

const path = '/testbeds/local/external-broker';
const settings = {
  label: 'RabbitMQ 3.10',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: null,
  username: 'lab',
  password: 'correct horse',
  process: 'beam.smp',
  unit: null,
};

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const put = (body: unknown) => rig.api(path, { method: 'PUT', body });

test('is set, shown without its password, changed, and deleted', async () => {
  expect((await rig.api(path)).status).toBe(404);
  const { password: _secret, ...shown } = settings;
  expect((await put(settings)).body).toEqual({ ...shown, hasPassword: true });
  expect(rig.published.map(({ event }) => event)).toEqual(['testbed']);
  const got = await rig.api(path);
  expect(got.body).toEqual({ ...shown, hasPassword: true });
  expect(got.text).not.toContain('correct horse');
  expect(rig.brokers.findBrokerCredentials('local')).toEqual({ username: 'lab', password: 'correct horse' });

  await put({ ...shown, label: 'RabbitMQ' });
  expect(rig.brokers.findBrokerCredentials('local')).toEqual({ username: 'lab', password: 'correct horse' });
  await put({ ...shown, password: null });
  expect(rig.brokers.findExternalBroker('local')?.hasPassword).toBe(false);
  await put({ ...shown, username: null });
  expect(rig.brokers.findBrokerCredentials('local')).toBeNull();

  expect((await rig.api(path, { method: 'DELETE' })).status).toBe(204);
  expect((await rig.api(path, { method: 'DELETE' })).status).toBe(404);
  expect(rig.brokers.findExternalBroker('local')).toBeNull();
});

test.each([
  ['no port', { port: null }, 'port'],
  ['a port out of range', { tlsPort: 70_000 }, 'tlsPort'],
  ['an address with a scheme', { address: 'mqtt://192.0.2.7' }, 'address'],
  ['no version', { mqttVersions: [] }, 'mqttVersions'],
  ['an authority that is not PEM', { authority: 'trust me' }, 'authority'],
  ['a process that is shell text', { process: 'a; reboot' }, 'process'],
  ['a password without a user name', { username: null }, 'username'],
  ['a surprise', { surprise: true }, ''],
])('refuses %s, with field and remedy, and keeps the stored settings', async (_what, change, field) => {
  await put(settings);
  const { status, body } = await put({ ...settings, ...change });
  expect(status).toBe(422);
  expect(body).toMatchObject({ issues: [{ field, remedy: expect.stringMatching(/\w/) }] });
  expect(rig.brokers.findExternalBroker('local')).toMatchObject({ label: 'RabbitMQ 3.10', port: 1883 });
});

test('belongs to a testbed that exists', async () => {
  const unknown = '/testbeds/moon/external-broker';
  expect((await rig.api(unknown, { method: 'PUT', body: settings })).status).toBe(404);
  expect(rig.brokers.findExternalBroker('moon')).toBeNull();
});

test('is set by administrators only, and visible to everyone', async () => {
  const guarded = await startApiRig({ loginRequired: true, adminToken: 'admin-token-of-this-test' });
  try {
    const operator = guarded.tokens.createToken({ name: 'operator', role: 'operator' }).secret;
    const asOperator = { authorization: `Bearer ${operator}` };
    expect((await guarded.api(path, { method: 'PUT', body: settings, headers: asOperator })).status).toBe(
      403,
    );
    expect((await guarded.api(path, { method: 'DELETE', headers: asOperator })).status).toBe(403);
    const asAdmin = { authorization: 'Bearer admin-token-of-this-test' };
    expect((await guarded.api(path, { method: 'PUT', body: settings, headers: asAdmin })).status).toBe(200);
    expect((await guarded.api(path, { method: 'DELETE', headers: asAdmin })).status).toBe(204);
    const { secret } = guarded.tokens.createToken({ name: 'viewer', role: 'viewer' });
    const headers = { authorization: `Bearer ${secret}` };
    expect((await guarded.api(path, { method: 'PUT', body: settings, headers })).status).toBe(403);
    expect((await guarded.api(path, { headers })).status).toBe(404);
    expect((await guarded.api(path)).status).toBe(401);
  } finally {
    await guarded.stop();
  }
});

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;

test.each([
  ['address', { address: '192.0.2.8' }],
  ['port', { port: 1884 }],
  ['TLS port', { tlsPort: 8883 }],
  ['authority', { authority: pem('another') }],
  ['name in its certificate', { serverName: 'other.example' }],
])('another %s requires the password again, and the old one is not sent', async (_what, change) => {
  await put({ ...settings, authority: pem('one') });
  const { password, ...rest } = { ...settings, authority: pem('one'), ...change };
  const refused = await put(rest);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    issues: [{ field: 'password', remedy: expect.stringMatching(/password/) }],
  });
  expect(rig.brokers.findExternalBroker('local')).toMatchObject({
    address: '192.0.2.7',
    port: 1883,
    hasPassword: true,
  });
  expect((await put({ ...rest, password })).status).toBe(200);
  expect((await put({ ...rest, label: 'renamed' })).body).toMatchObject({ hasPassword: true });
  expect((await put({ ...rest, address: '192.0.2.9', password: null })).body).toMatchObject({
    hasPassword: false,
  });
});

test('the store itself deletes a password that was entered for another address', () => {
  const { password: _given, ...rest } = settings;
  rig.brokers.saveExternalBroker('local', { ...settings, mqttVersions: ['3.1.1'] });
  rig.brokers.saveExternalBroker('local', { ...rest, mqttVersions: ['3.1.1'], address: 'evil.example' });
  expect(rig.brokers.findBrokerCredentials('local')?.password).toBe('');
});

test.each(['169.254.169.254', '2852039166', '::ffff:169.254.169.254', 'fe80::1', '0.0.0.0'])(
  'the address %s is refused, as for webhooks',
  async (address) => {
    const { status, body } = await put({ ...settings, address });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      issues: [
        {
          field: 'address',
          reason: expect.stringMatching(
            /which mqttlab does not connect to|not the address of a single machine/,
          ),
        },
      ],
    });
    expect(rig.brokers.findExternalBroker('local')).toBeNull();
  },
);
