import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Share, SharedContent } from '@mqttlab/shared/messages/shares';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePng } from '../exchange/testing/png-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let now = 1_000_000;
let experimentId = 0;
let pageFolder = '';
beforeEach(async () => {
  pageFolder = mkdtempSync(join(tmpdir(), 'mqttlab-page-'));
  writeFileSync(join(pageFolder, 'index.html'), '<html><head></head><body></body></html>');
  rig = await startApiRig({ now: () => now, pageFolder });
  experimentId = playExperiment(rig, { name: 'Cost of <TLS>', notes: 'for the seminar' }).id;
});
afterEach(async () => {
  await rig.stop();
  rmSync(pageFolder, { recursive: true, force: true });
});

const share = async (options: object) => {
  const body = { kind: 'experiment', experimentId, ...options };
  const answer = await rig.api('/shares', { method: 'POST', body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Share;
};
const open = (token: string, cookie = '') => rig.api(`/shared/${token}`, { headers: { cookie } });
const cookieOf = (answer: { headers: Headers }) =>
  (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

it('opens as often as configured; further reads count as the same opening', async () => {
  const { token } = await share({ maxOpenings: 2 });
  const first = await open(token);
  const visit = cookieOf(first);
  expect(first.headers.get('set-cookie')).toMatch(new RegExp(`Path=/api/v1/shared/${token}; .*HttpOnly`));
  expect((await open(token, visit)).status).toBe(200);
  expect((await open(token)).status).toBe(200);
  const refused = await open(token);
  expect([refused.status, refused.text]).toEqual([
    410,
    expect.stringMatching(/could be opened only 2 times/),
  ]);
  expect((await open(token, visit)).status).toBe(200);
  const other = await share({ maxOpenings: 1 });
  await open(other.token);
  expect((await open(other.token, visit)).status).toBe(410);
  now += 13 * 3_600_000;
  expect((await open(token, visit)).status).toBe(410);
  expect(rig.shares.findShare(token)?.share.openings).toBe(2);
});

it('requires its password, and slows guesses', async () => {
  const { token, hasPassword } = await share({ password: 'keep secret' });
  expect(hasPassword).toBe(true);
  const refused = await open(token);
  expect([refused.status, refused.text]).toEqual([401, expect.stringMatching(/requires a password/)]);
  const show = (password: string) =>
    rig.api(`/shared/${token}`, { method: 'POST', body: { password }, headers: {} });
  expect((await show('guess')).status).toBe(422);
  const right = await show('keep secret');
  expect((right.body as SharedContent).content.kind).toBe('experiment');
  expect((await open(token, cookieOf(right))).status).toBe(200);
  for (let tries = 1; tries < 5; tries++) await show(`guess ${tries}`);
  expect((await show('guess again')).status).toBe(429);
  const stored = JSON.stringify(rig.database.all('SELECT password_hash FROM shares'));
  expect(stored).toMatch(/\$argon2id\$/);
});

it('is frozen immediately on request', async () => {
  const id = rig.createDraft({ name: 'as it was' });
  const frozen = await share({ experimentId: id, frozen: true });
  const live = await share({ experimentId: id });
  expect([frozen.frozenAt, live.frozenAt]).toEqual([now, null]);
  rig.experiments.updateExperiment(id, { name: 'renamed' });
  const nameOf = async (token: string) =>
    (await open(token)).body as SharedContent & { content: { experiment: { name: string } } };
  expect((await nameOf(frozen.token)).content.experiment.name).toBe('as it was');
  expect((await nameOf(live.token)).content.experiment.name).toBe('renamed');
});

it('previews the shown and omitted content before it is created', async () => {
  const [run] = rig.experiments.findExperimentDetail(experimentId)!.runs;
  rig.runs.updateRun(run!.id, { exclusion: { reason: 'a fault', at: now, by: 'Anna' } });
  const preview = async (details: boolean) => {
    const body = { kind: 'run', runId: run!.id, details };
    const answer = await rig.api('/shares/preview', { method: 'POST', body });
    return answer.body as { shows: string[]; hides: string[] };
  };
  const all = await preview(true);
  const some = await preview(false);
  expect(some.shows).toContain('names of devices: local-broker, local-publisher, local-subscriber');
  expect(some.hides).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\d+ values with addresses, ports/),
      'who started or excluded it: Anna',
    ]),
  );
  expect(all.hides).toEqual([]);
  expect(all.shows).toEqual(expect.arrayContaining(some.hides));
  expect(rig.shares.listShares()).toEqual([]);
});

it('has a preview picture and title if anyone may open it', async () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const page = (token: string) => rig.call(`/s/${token}`, { headers: { accept: 'text/html' } });
  const { token } = await share({ image: png });
  const shown = await page(token);
  expect(shown.text).toContain('<meta property="og:title" content="Cost of &lt;TLS&gt;">');
  expect(shown.text).toContain(`content="${rig.origin}/api/v1/shared/${token}/preview.png"`);
  const picture = await rig.call(`/api/v1/shared/${token}/preview.png`);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(rig.shares.findShare(token)?.share.openings).toBe(0);
  for (const limit of [{ password: 'keep secret' }, { maxOpenings: 3 }]) {
    const limited = await share({ image: png, ...limit });
    expect((await page(limited.token)).text).not.toContain('og:');
    expect((await rig.call(`/api/v1/shared/${limited.token}/preview.png`)).status).toBe(404);
  }
  const body = { kind: 'experiment', experimentId, image: 'bm90IGEgcGljdHVyZQ==' };
  expect((await rig.api('/shares', { method: 'POST', body })).text).toMatch(/is not a PNG/);
});

it('refuses a picture that cannot be decoded, and stores only the pixels of the others', async () => {
  const send = (png: Buffer) => {
    const body = { kind: 'experiment', experimentId, image: png.toString('base64') };
    return rig.api('/shares', { method: 'POST', body });
  };
  const huge = await send(makePng({ width: 60_000, height: 60_000, data: Buffer.from('junk') }));
  expect([huge.status, huge.text]).toEqual([
    422,
    expect.stringMatching(/60000 x 60000 pixels.*at most 2400 x 1260/),
  ]);
  expect(rig.shares.listShares()).toEqual([]);
  const trailing = Buffer.from('<script>alert(1)</script>');
  const made = await send(Buffer.concat([makePng({ width: 1200, height: 630 }), trailing]));
  const { token } = made.body as Share;
  const picture = await rig.call(`/api/v1/shared/${token}/preview.png`);
  expect([picture.status, picture.text.includes('<script>')]).toEqual([200, false]);
});
