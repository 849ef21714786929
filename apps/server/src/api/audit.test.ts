import type { Change } from '@mqttlab/shared/messages/access';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { makeAudit } from './audit.ts';
import { on } from './route.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let now = 1_000_000;
const password = 'a long enough one';
let cookie = '';
beforeEach(async () => {
  rig = await startApiRig({ loginRequired: true, now: () => now });
  await rig.accounts.createAccount({ name: 'Anna', role: 'administrator', password });
  const answer = await rig.api('/session', { method: 'POST', body: { name: 'Anna', password } });
  cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});
afterEach(() => rig.stop());

const call = (method: string, path: string, body?: unknown) =>
  rig.api(path, { method, headers: { cookie }, ...(body === undefined ? {} : { body }) });
const changes = async (query = '') =>
  ((await call('GET', `/changes${query}`)).body as { items: Change[] }).items;

it('records who changed what, from which address, with the fields before and after', async () => {
  const id = rig.createDraft({ name: 'before' });
  await call('PATCH', `/experiments/${id}`, { name: 'after', tags: ['x'] });
  await call('PATCH', `/experiments/${id}`, { name: '' });
  const [renamed, loggedIn] = await changes();
  expect(renamed).toMatchObject({
    at: now,
    actor: 'Anna',
    address: '127.0.0.1',
    action: 'PATCH /experiments/{id}',
    subject: `/experiments/${id}`,
    before: { name: 'before', tags: ['first'] },
    after: { name: 'after', tags: ['x'] },
  });
  expect(loggedIn).toMatchObject({ actor: 'Anna', action: 'POST /session' });
});

it('shows who started an experiment and who excluded a run, also on their pages', async () => {
  const draft = rig.createDraft();
  await call('POST', `/experiments/${draft}/actions/start`);
  expect((await call('GET', `/experiments/${draft}`)).body).toMatchObject({ startedBy: 'Anna' });
  const { runs } = playExperiment(rig);
  const excluded = await call('PATCH', `/runs/${runs[0]!.id}`, { exclusion: { reason: 'a fault' } });
  expect(excluded.body).toMatchObject({ exclusion: { reason: 'a fault', by: 'Anna' } });
  const shared = await call('POST', '/shares', { kind: 'experiment', experimentId: draft });
  expect(shared.body).toMatchObject({ madeBy: 'Anna' });
  expect((await changes()).map(({ actor, words, subject }) => [actor, words, subject])).toEqual([
    ['Anna', expect.stringMatching(/read-only link/), expect.stringMatching(/^\/shares\/.{6}…$/)],
    ['Anna', expect.stringMatching(/exclude it from analysis/), `/runs/${runs[0]!.id}`],
    ['Anna', 'Action "start"', `/experiments/${draft}`],
    ['Anna', expect.stringMatching(/^Log in .* with a token$/), '/session'],
  ]);
  expect(await changes(`?subject=/experiments/${draft}`)).toHaveLength(1);
  const { text } = await call('GET', '/changes.csv');
  expect(text.split('\n')[0]?.trim()).toBe('at,actor,address,action,subject,before,after');
  expect(text).toContain(`1970-01-01T00:16:40.000Z,Anna,127.0.0.1,POST /experiments/{id}/actions/{action}`);
});

it('stores no secrets and records no reads', async () => {
  await call('POST', '/accounts', { name: 'Ben', role: 'viewer', password: 'the secret of Ben' });
  await call('PUT', '/session/password', { password, newPassword: 'the secret of Anna' });
  const { body } = await call('POST', '/tokens', { name: 'CI', role: 'viewer' });
  const id = rig.createDraft();
  await call('POST', '/plan/check', rig.experiments.findExperiment(id)!.draft);
  const login = { kind: 'password', password: 'the secret of a device' };
  const device = { name: 'pi-1', host: '192.0.2.1', port: 22, user: 'pi', login };
  const audit = makeAudit(rig.services);
  const route = on('POST /devices/import', () => rig.services.devices.imports.state());
  const request = { params: {}, body: { devices: [device] }, headers: {}, socket: {} } as never;
  audit.begin({ route, request })?.(null, null);
  const kept = JSON.stringify(rig.database.all('SELECT * FROM changes'));
  expect(await changes()).toHaveLength(5);
  for (const secret of ['the secret of', password, (body as { secret: string }).secret])
    expect(kept).not.toContain(secret);
});

it('merges repeated saves of a draft into one change', async () => {
  const id = rig.createDraft({ name: 'a' });
  const { draft } = rig.experiments.findExperiment(id)!;
  for (const name of ['b', 'c', 'd']) await call('PUT', `/experiments/${id}/draft`, { ...draft, name });
  now += 11 * 60_000;
  await call('PUT', `/experiments/${id}/draft`, { ...draft, name: 'e' });
  const [later, first] = await changes(`?subject=/experiments/${id}`);
  expect([first?.before, first?.after]).toEqual([{ name: 'a' }, { name: 'd' }]);
  expect([later?.before, later?.after]).toEqual([{ name: 'd' }, { name: 'e' }]);
});

it('records when an administrator starts or stops trusting a signer of bundles', async () => {
  const fingerprint = `SHA256:${'a'.repeat(43)}`;
  const { body } = await call('POST', '/signers', { name: 'Lab of Ada', fingerprint });
  const subject = `/signers/${(body as { id: number }).id}`;
  await call('DELETE', subject);
  const [removed, added] = await changes();
  const signer = { name: 'Lab of Ada', fingerprint };
  expect(added).toMatchObject({ actor: 'Anna', action: 'POST /signers', subject, after: signer });
  expect(removed).toMatchObject({ actor: 'Anna', action: 'DELETE /signers/{id}', subject, before: signer });
});
