import type { Problem } from '@mqttlab/shared/messages/http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { makeRoutes } from './http-app.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

const token = 'the-token-of-the-administrator';
let rig: ApiRig;
let now = 1_000_000;
beforeEach(async () => {
  rig = await startApiRig({ loginRequired: true, adminToken: token, now: () => now });
});
afterEach(() => rig.stop());

it('reads still work if nothing can be written, and writes return the reason', async () => {
  const { id, runs } = playExperiment(rig);
  const asAdministrator = { headers: { authorization: `Bearer ${token}` } };
  const post = (path: string, body: unknown) => rig.api(path, { method: 'POST', body, ...asAdministrator });
  const { secret: reader } = (await post('/tokens', { name: 'reader', role: 'administrator' })).body as {
    secret: string;
  };
  // Not final yet, so that a later visit freezes it.
  rig.experiments.updateExperiment(id, { status: 'running' });
  const share = (await post('/shares', { kind: 'experiment', experimentId: id })).body as { token: string };
  rig.experiments.updateExperiment(id, { status: 'done' });
  now += 3_600_000;
  rig.database.run('PRAGMA query_only = 1');

  const fill: Record<string, string> = {
    experiments: String(id),
    runs: String(runs[0]?.id),
    shared: share.token,
  };
  const headers = { authorization: `Bearer ${reader}` };
  for (const { path, method } of makeRoutes(rig.services, rig.server.webhooks)) {
    if (method !== 'get') continue;
    const address = path.replace(/\{\w+\}/, fill[path.split('/')[1] ?? ''] ?? '1');
    const { status, text } = await rig.api(address, { headers });
    expect([address, status < 500], text.slice(0, 300)).toEqual([address, true]);
  }
  const refused = await rig.api('/experiments', { method: 'POST', body: {}, headers });
  expect(refused.status).toBe(503);
  expect((refused.body as Problem).detail).toMatch(
    /cannot be written\. Nothing from this request was stored/,
  );
  rig.database.run('PRAGMA query_only = 0');
  expect((await rig.api('/experiments', { method: 'POST', body: {}, headers })).status).toBe(201);
});
