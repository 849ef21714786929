import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { StudyList, StudyRun } from '@mqttlab/shared/messages/studies';
import { expect, test } from '@playwright/test';
import { openResult, waitUntilOver } from '../fixtures/study-runs.ts';
import { TestbedsLab } from './fixtures/testbeds-lab.ts';

// Creating namespaces requires root.
test.skip(process.getuid?.() !== 0, 'the virtual lab needs root on Linux');

const bench = new TestbedsLab('studies');
let testbedId = '';

/** Both links are virtual interfaces, whose names determine the represented kind. */
async function renameLinks(): Promise<string> {
  const [bed] = bench.testbeds;
  if (!bed) throw new Error('there is no testbed');
  await bench.server.api('DELETE', `/testbeds/${bed.id}`);
  const link = (name: string) => ({
    name,
    interfaces: Object.fromEntries(bench.names.map((device) => [device, name])),
  });
  const made = await bench.server.api<{ testbedId: string }>('POST', '/testbeds', {
    name: 'Two links',
    devices: Object.entries(bed.device).map(([role, deviceId]) => ({ deviceId, role })),
    links: [link('ethernet'), link('wifi')],
  });
  for (const name of bench.names) await bench.api.whenOnline(name);
  return made.testbedId;
}

test.beforeAll(async () => {
  await bench.clear();
  await bench.start(1);
  testbedId = await renameLinks();
});

test.afterAll(async () => {
  await bench.remove();
});

/** Runs a study, or some of its parts, on virtual Pis with two links. */
async function play(studyId: string, parts?: readonly string[]): Promise<StudyRun> {
  const body = { studyId, testbedId, scale: 'smoke', ...(parts ? { parts } : {}) };
  const { id: runId } = await bench.server.api<StudyRun>('POST', '/study-runs', body);
  return waitUntilOver(bench.server, runId);
}

function linksOf({ plan }: ExperimentDetail): unknown[] {
  return [...new Set(plan?.treatments.map(({ levels }) => levels.link))].sort();
}

test('v2x-tls compares Ethernet with WiFi on virtual Pis', async ({ page }) => {
  const { items } = await bench.server.api<StudyList>('GET', `/studies?testbedId=${testbedId}`);
  const left = items.find((item) => item.id === 'v2x-tls')?.parts[0]?.leftOut.map(({ what }) => what);
  expect(left).not.toContain('Ethernet between the devices');
  expect(left).not.toContain('WiFi between the devices');
  const run = await play('v2x-tls');
  expect(run.status).toBe('done');
  for (const { experimentId, progress } of run.parts) {
    expect(progress).toMatchObject({ failed: 0, done: progress?.trials });
    const experiment = await bench.server.api<ExperimentDetail>('GET', `/experiments/${experimentId}`);
    expect(linksOf(experiment)).toEqual(['ethernet', 'wifi']);
  }
  const words = await openResult(page, bench.server, run);
  expect(words).toMatch(/batch\s+16\s+·\s+wifi/);
  expect(words).toContain('The CPU here');
  expect(words).not.toMatch(/NaN|undefined|Infinity/);
});

test('rpi-broker loses packets on a link of virtual Pis', async ({ page }) => {
  const run = await play('rpi-broker', ['c']);
  expect(run.status).toBe('done');
  const part = run.parts.find(({ id }) => id === 'c');
  expect(part?.progress).toMatchObject({ failed: 0, done: part?.progress?.trials });
  const words = await openResult(page, bench.server, run);
  expect(words).toContain('Gap: not run');
  expect(words).toContain('MB/min');
  expect(words).not.toMatch(/NaN|undefined|Infinity/);
});
