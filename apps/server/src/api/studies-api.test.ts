import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Problem } from '@mqttlab/shared/messages/http';
import type { StudyList } from '@mqttlab/shared/messages/studies';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const make = (id: string, body: unknown) => rig.api(`/studies/${id}/experiments`, { method: 'POST', body });

it('lists the studies with cost and omissions, scale by scale', async () => {
  const { items, testbedId } = (await rig.api('/studies')).body as StudyList;
  expect(testbedId).toBe('local');
  expect(items).toHaveLength(5);
  const parts = items.find(({ id }) => id === 'rpi-broker')?.parts ?? [];
  const states = parts.find(({ id }) => id === 'b');
  expect(states?.scales.map(({ scale }) => scale)).toEqual(['smoke', 'bench', 'full']);
  expect(states?.scales[0]).toMatchObject({ runs: 6 });
  const bridge = items.find(({ id }) => id === 'hecs4mqtt')?.parts.find(({ scales }) => scales.length === 0);
  expect(bridge?.leftOut.length ?? 1).toBeGreaterThan(0);
  expect((await rig.api('/studies?testbedId=moon')).status).toBe(404);
});

it('creates a draft that records its study, part and scale, and can start', async () => {
  const { status, body } = await make('rpi-broker', { testbedId: 'local', scale: 'smoke', part: 'b' });
  expect(status).toBe(201);
  const { id, tags, draft } = body as ExperimentDetail;
  expect(tags).toEqual(['study:rpi-broker', 'part:b', 'scale:smoke']);
  expect(draft.workload.kind).toBe('states');
  expect((await rig.api(`/experiments/${id}/actions/start`, { method: 'POST' })).status).toBe(200);
});

it('answers the claims of a study run, each open with its reason until there are runs', async () => {
  const body = { studyId: 'v2x-tls', testbedId: 'local', scale: 'smoke', parts: ['a'] };
  const started = await rig.api('/study-runs', { method: 'POST', body });
  const { id } = started.body as { id: number };
  const { status, body: board } = await rig.api(`/study-runs/${id}/board`);
  expect(status).toBe(200);
  const { claims, missing } = board as ClaimBoard;
  expect(claims.map((claim) => claim.id)).toEqual(['V1', 'V2', 'V3', 'V4', 'V5', 'V6']);
  expect(claims.every(({ answer }) => answer === 'open')).toBe(true);
  expect(missing).toEqual([
    { part: 'a', title: 'phases, ciphers, packaging', reason: 'no run of its part has finished' },
    expect.objectContaining({ part: 'c', reason: 'its part was not run: this part was not requested' }),
  ]);
  // Without an answer it is not shown as the last board in the gallery.
  const { items } = (await rig.api('/studies')).body as StudyList;
  expect(items.find((study) => study.id === 'v2x-tls')?.board).toBeNull();
  expect((await rig.api('/study-runs/999/board')).status).toBe(404);
});

it('uses the first runnable part if none is specified', async () => {
  const { body } = await make('hecs4mqtt', { testbedId: 'local', scale: 'bench' });
  expect((body as ExperimentDetail).tags).toContain('part:a');
});

it.each([
  ['nothing', { testbedId: 'local', scale: 'smoke' }, 404, 'There is no study nothing'],
  ['rpi-broker', { testbedId: 'moon', scale: 'smoke' }, 404, 'There is no testbed moon'],
  ['rpi-broker', { testbedId: 'local', scale: 'huge' }, 422, 'scale'],
  ['rpi-broker', { testbedId: 'local', scale: 'smoke', part: 'z' }, 422, 'there is no part "z"'],
])('refuses %s %j with why', async (...[id, body, status, words]) => {
  const answer = await make(id, body);
  expect(answer.status).toBe(status);
  expect((answer.body as Problem).detail).toContain(words);
  expect((answer.body as Problem).remedy).not.toBe('');
});

it('starts the client matrix, and exports each combination as CSV', async () => {
  const { status, body } = await rig.api('/client-matrix', { method: 'POST', body: {} });
  expect(status).toBe(201);
  const { id, tags, plan } = body as ExperimentDetail;
  expect(tags).toEqual(['client matrix']);
  expect(plan?.trials.length).toBeGreaterThan(50);
  const { text: csv } = await rig.api(`/experiments/${id}/clients.csv`);
  const [head, ...rows] = csv.trim().split('\r\n');
  expect(head).toMatch(/^client,security,suite_group,suite,mqtt_version,transport,outcome,reason,run,/);
  expect(rows).toHaveLength(4 * 9 * 3 * 2);
  expect(rows.filter((row) => row.includes(',not tried,'))).toHaveLength(plan?.trials.length ?? 0);
  const moon = await rig.api('/client-matrix', { method: 'POST', body: { testbedId: 'moon' } });
  expect(moon.status).toBe(404);
  expect((moon.body as Problem).detail).toContain('There is no testbed moon');
});
