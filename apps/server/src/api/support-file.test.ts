import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { startApiRig } from './testing/api-rig.ts';

const broker = {
  label: 'RabbitMQ',
  address: '127.0.0.1',
  port: 1883,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1' as const],
  authority: null,
  serverName: null,
  username: 'lab',
  process: null,
  unit: null,
};

it('has useful data and no secrets, even if a log line had one', async () => {
  const adminToken = randomBytes(32).toString('hex');
  const rig = await startApiRig({ adminToken });
  const format = { type: 'pkcs8', format: 'pem' } as const;
  const pem = generateKeyPairSync('ed25519').privateKey.export(format).toString();
  const experimentId = rig.createDraft();
  const { secret: token } = rig.tokens.createToken({ name: 'ci', role: 'operator' });
  const webhook = rig.webhooks.createWebhook({
    url: 'http://127.0.0.1:9/hook',
    events: ['experiment.done'],
    secret: 'short hook',
    origin: null,
  });
  expect(webhook.id).toBe(1);
  rig.brokers.saveExternalBroker('local', { ...broker, password: 'pass of the broker' });
  const link = rig.shares.createShare({
    subject: { kind: 'experiment', experimentId },
    title: 'shared',
    expiresAt: null,
    details: false,
  }).token;
  const planted = [
    adminToken,
    token,
    'short hook',
    'pass of the broker',
    link,
    'hunter2',
    'log in here',
    'c00kie',
    'AqwzpSrnE-vKgHFJNoLWQA',
    'kHqTzBvRmXcWfLpNdJgS',
  ];
  const lines = [
    `CONNECT with pass of the broker, signed with short hook`,
    `Authorization: Bearer ${token}; opened /s/${link}`,
    `admin ${adminToken} mqtt://lab:hunter2@broker:1883`,
    `password: "log in here"`,
    `Cookie: c00kie`,
    // Tokens and passwords may have no digit.
    `opened /s/AqwzpSrnE-vKgHFJNoLWQA with kHqTzBvRmXcWfLpNdJgS`,
    pem,
  ];
  for (const text of lines) {
    rig.runs.appendLog({ experimentId, runId: null, line: { at: 1, level: 'info', source: 'server', text } });
  }
  const harmless = 'The broker of run 7 closed the connection: verifyCertificateChainOfServer.';
  rig.runs.appendLog({
    experimentId,
    runId: null,
    line: { at: 2, level: 'warn', source: 'server', text: harmless },
  });
  try {
    const { status, text } = await rig.api('/support.json', {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(status).toBe(200);
    for (const secret of [...planted, ...pem.split('\n').slice(1, -2)]) expect(text).not.toContain(secret);
    const file = JSON.parse(text);
    expect(file.log).toHaveLength(lines.length + 1);
    expect(file.log.at(-1).text).toBe(harmless);
    expect(file.database).toMatchObject({
      integrity: 'ok',
      rows: { experiments: 1, shares: 1, webhooks: 1 },
    });
    expect(file.database.schema).toBe(1);
    expect(file.settings).toContainEqual({ name: 'MQTTLAB_ADMIN_TOKEN', isSet: false });
  } finally {
    await rig.stop();
  }
});
