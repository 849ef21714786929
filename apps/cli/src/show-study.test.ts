import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeStudyDraft } from '@mqttlab/shared/planning/study';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { findStudy } from '@mqttlab/studies/studies';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callCli } from './testing/call-cli.ts';
import { type ApiRig, playExperiment, startApiRig } from './testing/server.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const show = (...argv: string[]) => callCli(['study', 'show', ...argv], { env: { MQTTLAB_URL: rig.origin } });

/** A run of part a of v2x-tls whose messages take half the time in batches. */
function playStudy(): number {
  const study = findStudy('v2x-tls');
  const part = study?.parts.find(({ id }) => id === 'a');
  const choice = study && part && { study, part, scale: 'smoke' as const };
  const draft = choice && makeStudyDraft(choice, makeTestbedView(makeTestbed()));
  if (!study || !part || !draft) throw new Error('there is no such part');
  const batches = draft.factors.readingsPerMessage?.length ?? 1;
  const { id } = playExperiment(rig, draft, (treatment, block) => ({
    latencyMs: (treatment % batches === 0 ? 10 : 5) + block / 1000,
  }));
  return rig.studies.createStudyRun({
    studyId: study.id,
    title: study.title,
    testbedId: 'local',
    scale: 'smoke',
    own: null,
    parts: [{ id: part.id, title: part.title, question: part.question, leftOut: [], experimentId: id }],
  }).id;
}

it('prints one line for each claim of the last run that answers one', async () => {
  const number = playStudy();
  const { code, said, noted } = await show('v2x-tls');
  expect(code).toBe(0);
  const [head, ...lines] = said.split('\n');
  expect(head).toMatch(/^TLS on low-cost boards for V2X, smoke scale: \d+ agrees?, \d+ differs?, \d+ open/);
  expect(lines.map((line) => line.slice(0, 4).trim())).toEqual(['V1', 'V2', 'V3', 'V4', 'V5', 'V6']);
  for (const line of lines) expect(line).toMatch(/^V\d\s+(agrees|differs|open|not testable)\s+\S.*\.$/);
  expect(lines[3]).toMatch(/^V4\s+agrees\s+Fewer, larger packets reduce latency\. .*−(49|50)[.\d]*\s%\s\[/);
  expect(noted).toContain('Missing in part c');
  expect(noted).toContain(`/studies/runs/${number}`);
  // The same board as the API has.
  const { body } = await rig.api(`/study-runs/${number}/board`);
  expect(JSON.parse((await show('v2x-tls', '--json')).said)).toEqual(body);
});

it('says how to run a study that has no answer yet', async () => {
  const { code, said } = await show('hecs4mqtt');
  expect(code).toBe(0);
  expect(said).toContain('no claim has been answered yet. Run it: mqttlab study run hecs4mqtt');
  expect((await show('nothing')).code).toBe(2);
});
