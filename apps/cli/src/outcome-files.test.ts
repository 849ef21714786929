import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Outcome, writeOutcomeFiles } from './outcome-files.ts';

const run = {
  id: 1,
  trialNumber: 1,
  treatmentKey: 'tls',
  block: 1,
  attempt: 1,
  startedAt: 0,
  finishedAt: 2500,
};
const verdicts = [
  { id: 'kept-schedule', label: 'Kept its schedule', status: 'failed', evidence: '' },
  { id: 'device-idle', label: 'Idle', status: 'failed', evidence: '' },
  { id: 'nothing-lost', label: 'Nothing lost', status: 'passed', evidence: '' },
];

async function junitOf(strict: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-outcome-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const runs = [{ ...run, status: 'done', failure: null, flagged: true, verdicts }];
  const plan = { treatments: [{ key: 'tls', shortLabel: 'TLS 1.3' }], thresholds: [] };
  const experiment = { id: 7, name: 'Gate', plan, runs } as unknown as Outcome['experiment'];
  const junit = join(folder, 'junit.xml');
  const files = { junit, summary: undefined, strict };
  await writeOutcomeFiles(files, { experiment, thresholds: [], sentences: [], tables: [] });
  return readFileSync(junit, 'utf8');
}

it('with --strict, JUnit reports a flagged run as a failure that names its faults', async () => {
  const strict = await junitOf(true);
  expect(strict).toContain('name="run 1: TLS 1.3, repetition 1"');
  expect(strict).toContain(
    '<failure message="flagged: Generator fell behind schedule, Other programs used the CPU"/>',
  );
  expect(await junitOf(false)).not.toContain('<failure');
});
