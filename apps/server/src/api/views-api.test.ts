import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig({ now: () => 42 });
});
afterEach(() => rig.stop());

it('stores named views with their version, lists the newest first, deletes them', async () => {
  const state = 'experiments=1,2&metric=cpu.broker&hide=1~a';
  const make = (name: string) =>
    rig.api('/views', { method: 'POST', body: { name, page: 'compare', state } });
  expect((await make('CPU of two')).body).toEqual({
    id: 1,
    name: 'CPU of two',
    page: 'compare',
    state,
    schemaVersion: 1,
    createdAt: 42,
    updatedAt: 42,
  });
  await make('Again');
  const names = async () =>
    ((await rig.api('/views')).body as { items: { name: string }[] }).items.map(({ name }) => name);
  expect(await names()).toEqual(['Again', 'CPU of two']);
  expect((await rig.api('/views/1', { method: 'DELETE' })).status).toBe(204);
  expect((await rig.api('/views/1', { method: 'DELETE' })).status).toBe(404);
  expect(await names()).toEqual(['Again']);
});

it('names the invalid field', async () => {
  const post = (body: unknown) => rig.api('/views', { method: 'POST', body });
  expect((await post({ name: ' ', page: 'compare', state: 'a=b' })).text).toContain('needs a name');
  expect((await post({ name: 'x', page: 'pets', state: '' })).status).toBe(422);
});
