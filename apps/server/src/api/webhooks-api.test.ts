import type { Problem } from '@mqttlab/shared/messages/http';
import type { CreatedWebhook } from '@mqttlab/shared/messages/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../webhooks/testing/receiver.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let receiver: Receiver;
const adminToken = 'an-administrator-token-of-some-length';
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const admin = as(adminToken);

beforeAll(async () => {
  rig = await startApiRig({ loginRequired: true, adminToken });
  receiver = await startReceiver();
});
afterAll(async () => {
  await rig.stop();
  await receiver.stop();
});

const post = (path: string, body?: object) => rig.api(path, { method: 'POST', ...admin, body });
const hook = (change: object = {}) => ({ url: receiver.url, events: ['run.failed'], ...change });

describe('webhooks over the API', () => {
  it('are for administrators only', async () => {
    const operator = rig.tokens.createToken({ name: 'ci', role: 'operator' }).secret;
    for (const [method, path, body] of [
      ['GET', '/webhooks'],
      ['POST', '/webhooks', hook()],
      ['PATCH', '/webhooks/1', { enabled: false }],
      ['POST', '/webhooks/1/test'],
      ['POST', '/webhooks/1/restore'],
      ['DELETE', '/webhooks/1'],
    ] as const) {
      const call = (headers: object) => rig.api(path, { method, ...headers, ...(body ? { body } : {}) });
      expect((await call(as(operator))).status, `${method} ${path}`).toBe(403);
      expect((await call({})).status).toBe(401);
    }
    expect((await rig.api('/webhooks', admin)).body).toEqual({ items: [] });
  });

  it('are added with a secret that is shown once, tested, disabled, removed and restored', async () => {
    const made = await post('/webhooks', hook({ events: ['run.failed', 'experiment.done', 'run.failed'] }));
    expect(made.status).toBe(201);
    const { secret, webhook } = made.body as CreatedWebhook;
    expect(webhook.events).toEqual(['experiment.done', 'run.failed']);
    expect(await post(`/webhooks/${webhook.id}/test`)).toMatchObject({
      status: 200,
      body: { event: 'test', ok: true, status: 204 },
    });
    expect(receiver.all.at(-1)?.isGenuine(secret!)).toBe(true);
    expect(receiver.all.at(-1)?.message.event).toBe('test');
    const off = await rig.api(`/webhooks/${webhook.id}`, {
      method: 'PATCH',
      ...admin,
      body: { enabled: false },
    });
    expect(off.body).toMatchObject({ enabled: false, url: receiver.url, lastDelivery: { ok: true } });
    expect((await rig.api('/webhooks', admin)).text).not.toContain('whsec_');
    expect((await rig.api(`/webhooks/${webhook.id}`, { method: 'DELETE', ...admin })).status).toBe(204);
    expect((await rig.api('/webhooks', admin)).body).toEqual({ items: [] });
    expect((await post(`/webhooks/${webhook.id}/test`)).status).toBe(404);
    expect((await post(`/webhooks/${webhook.id}/restore`)).body).toMatchObject({ id: webhook.id });
    expect((await post(`/webhooks/${webhook.id}/test`)).body).toMatchObject({ ok: true });
  });

  it('a given secret is accepted and not returned', async () => {
    const secret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
    const { webhook, ...made } = (await post('/webhooks', hook({ secret }))).body as CreatedWebhook;
    expect(made.secret).toBeNull();
    await post(`/webhooks/${webhook.id}/test`);
    expect(receiver.all.at(-1)?.isGenuine(secret)).toBe(true);
  });

  it.each<[change: object, field: string, reason: RegExp, remedy: RegExp]>([
    [{ url: 'http://169.254.169.254/latest' }, 'url', /link-local/, /Use the machine’s network address/],
    [{ url: 'http://[fe80::1]/' }, 'url', /link-local/, /Use the machine’s network address/],
    [{ url: 'http://93.184.215.14/hook' }, 'url', /http is allowed only/, /Use https/],
    [{ url: 'not an address' }, 'url', /not a web address/, /An example is https/],
    [{ url: '' }, 'url', /needs an address/, /./],
    [{ events: [] }, 'events', /at least one event/, /./],
    [{ events: ['run.exploded'] }, 'events[0]', /run\.failed/, /./],
    [{ secret: 'hunter2' }, 'secret', /24 to 64 bytes/, /Leave it out/],
  ])('refuse %j with field and remedy', async (...[change, field, reason, remedy]) => {
    const refused = await post('/webhooks', hook(change));
    expect(refused.status).toBe(422);
    expect((refused.body as Problem).issues).toEqual([
      { field, reason: expect.stringMatching(reason), remedy: expect.stringMatching(remedy) },
    ]);
  });

  it('an address is also checked when it is changed, and the number of webhooks is limited', async () => {
    const { items } = (await rig.api('/webhooks', admin)).body as { items: { id: number }[] };
    const body = { url: 'https://169.254.169.254/' };
    const changed = await rig.api(`/webhooks/${items[0]?.id}`, { method: 'PATCH', ...admin, body });
    expect(changed.status).toBe(422);
    for (let count = items.length; count < 20; count += 1) {
      expect((await post('/webhooks', hook())).status).toBe(201);
    }
    expect((await post('/webhooks', hook())).status).toBe(409);
  });
});
