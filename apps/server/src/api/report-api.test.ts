import type { Report } from '@mqttlab/shared/domain/report/report';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

it('returns the report as JSON and as one file with the same numbers, and reports its progress', async () => {
  const { id } = playExperiment(
    rig,
    { repetitions: 4, name: 'What <TLS> costs', question: 'A & B?' },
    (treatment, block) => ({ latencyMs: 1 + treatment + block / 30 }),
  );
  const progress = () => rig.api(`/experiments/${id}/report/progress`);
  expect((await progress()).body).toMatchObject({ state: 'idle' });
  const { status, body } = await rig.api(`/experiments/${id}/report`);
  expect(status).toBe(200);
  expect((await progress()).body).toMatchObject({ state: 'ready' });
  const report = body as Report;
  expect(report.responses[0]?.contrasts).toHaveLength(2);

  const file = await rig.api(`/experiments/${id}/report.html`);
  expect(file.headers.get('content-disposition')).toMatch(
    /attachment; filename="E-\d+-report-what-tls-costs\.html"/,
  );
  expect(file.text).toContain('What &lt;TLS&gt; costs');
  expect(file.text).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|NaN|undefined/);
  expect(file.text.match(/<figure>/g)?.length).toBeGreaterThan(6);
  for (const { text } of report.responses[0]?.findings ?? []) {
    expect(file.text).toContain(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  }
});

it('refuses a draft and unknown experiments', async () => {
  const draft = rig.createDraft();
  expect(await rig.api(`/experiments/${draft}/report`)).toMatchObject({ status: 409 });
  expect(await rig.api('/experiments/77/report')).toMatchObject({ status: 404 });
});
