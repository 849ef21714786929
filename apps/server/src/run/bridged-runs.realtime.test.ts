import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { loadVerdictsOf } from '@mqttlab/shared/testing/load-verdicts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeOneRunDraft, playRun } from './testing/real-run.ts';
import { eventually, type Life, Rig } from './testing/rig.ts';

const rig = new Rig();
let life: Life;
beforeAll(async () => {
  life = await rig.start({ realAgents: true });
  const isOnline = () => life.devices.testbeds.findTestbed('local')?.devices.every(({ online }) => online);
  await eventually('the agents', isOnline);
});
afterAll(() => rig.remove());

const bridged: ExperimentDraft['factors'] = {
  topology: ['re-encrypting bridge'],
  security: ['plain'],
  payloadCipher: ['chacha20-poly1305'],
  mqttVersion: ['5.0'],
};

test('the load verdicts pass for a Trial over a bridge, and messages arrive at the planned rate', async () => {
  const draft = makeOneRunDraft({ factors: { ...bridged, alterEvery: [5] } });
  const { detail, verdict } = await playRun(life, draft);
  // 160 in a second, minus those in flight at its end.
  expect(detail.metrics['rate.messages']).toBeGreaterThan(130);
  for (const id of loadVerdictsOf(detail))
    expect(verdict(id)?.status, verdict(id)?.evidence).not.toBe('failed');
});
