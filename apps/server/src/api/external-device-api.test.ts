import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

const path = '/testbeds/local/external-device';
const device = {
  name: 'node-3',
  role: 'publisher',
  port: 1883,
  tlsPort: 8883,
  waitSeconds: 60,
  roundTrip: true,
} as const;

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const put = (body: unknown) => rig.api(path, { method: 'PUT', body });

test('is set with the settings of its program, keeps its password while its name is unchanged, and is deleted', async () => {
  expect((await rig.api(path)).status).toBe(404);
  const made = await put({ name: 'node-3' });
  expect(made.body).toMatchObject({
    device,
    password: expect.stringMatching(/^[\w-]{20}$/),
    payloadKey: expect.stringContaining('BEGIN PRIVATE KEY'),
    authority: expect.stringContaining('BEGIN CERTIFICATE'),
    serverName: 'mqttlab-broker',
    addresses: [{ link: 'lo', address: '127.0.0.1' }],
  });
  expect(rig.published.map(({ event }) => event)).toEqual(['testbed']);
  const { password, payloadKey } = made.body as { password: string; payloadKey: string };
  expect((await put({ ...device, waitSeconds: 10 })).body).toMatchObject({ password, payloadKey });
  const other = (await put({ ...device, name: 'node-4' })).body as typeof made.body & object;
  expect(other).not.toMatchObject({ password });
  expect(other).not.toMatchObject({ payloadKey });
  const stored = JSON.stringify(rig.database.get('SELECT password, payload_key FROM external_devices'));
  const secrets = rig.externalDevices.findDeviceSecrets('local');
  for (const secret of [secrets?.password, secrets?.payloadKey.split('\n')[1]]) {
    expect(secret).toMatch(/\w/);
    expect(stored).not.toContain(secret);
  }

  expect((await rig.api(path, { method: 'DELETE' })).status).toBe(204);
  expect((await rig.api(path, { method: 'DELETE' })).status).toBe(404);
});

test.each([
  ['a name that would be several levels of a topic', { name: 'a/b' }, 'name'],
  ['a wildcard', { name: '+' }, 'name'],
  ['one port for both', { tlsPort: 1883 }, 'tlsPort'],
  ['a port out of range', { port: 0 }, 'port'],
  ['a role that it cannot have', { role: 'broker' }, 'role'],
  ['a waiting time that is too short', { waitSeconds: 1 }, 'waitSeconds'],
])('refuses %s, with field and remedy', async (_what, change, field) => {
  const { status, body } = await put({ ...device, ...change });
  expect(status).toBe(422);
  expect(body).toMatchObject({ issues: [{ field, remedy: expect.stringMatching(/\w/) }] });
});

test('is set by administrators only, and its password is hidden from viewers', async () => {
  const guarded = await startApiRig({ loginRequired: true, adminToken: 'admin-token-of-this-test' });
  try {
    const as = (role: 'viewer' | 'operator') => ({
      authorization: `Bearer ${guarded.tokens.createToken({ name: role, role }).secret}`,
    });
    const operator = await guarded.api(path, { method: 'PUT', body: device, headers: as('operator') });
    expect(operator.status).toBe(403);
    guarded.externalDevices.saveExternalDevice('local', device);
    expect((await guarded.api(path, { headers: as('viewer') })).status).toBe(403);
    expect((await guarded.api(path, { headers: as('operator') })).status).toBe(200);
  } finally {
    await guarded.stop();
  }
});
