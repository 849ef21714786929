import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from './testing/call-cli.ts';
import { type ApiRig, playExperiment, startApiRig } from './testing/server.ts';

let rig: ApiRig;
const folder = mkdtempSync(join(tmpdir(), 'mqttlab-references-'));
/** The second experiment, so that numbers of runs differ from their ids. */
let id = 0;
let runId = 0;

beforeAll(async () => {
  rig = await startApiRig();
  playExperiment(rig);
  const { runs } = playExperiment(rig);
  const [first] = runs.filter(({ trialNumber }) => trialNumber === 1);
  id = first?.experimentId ?? 0;
  runId = first?.id ?? 0;
  expect([id > 1, runId > 1]).toEqual([true, true]);
});
afterAll(async () => {
  await rig.stop();
  rmSync(folder, { recursive: true });
});

const call = (...argv: string[]) => callCli(argv, { env: { MQTTLAB_URL: rig.origin } });

describe('names of the page on the command line', () => {
  const namesOfRun = () => [
    [`E-${id}, run 1`],
    [`E-${id} run 1`],
    [`E-${id}/1`],
    // Without quotes the shell splits the name.
    [`E-${id},`, 'run', '1'],
  ];

  it('show, export and plan files accept an experiment by its code or number', async () => {
    const byCode = await call('show', `E-${id}`);
    expect(byCode.code, byCode.noted).toBe(0);
    expect(byCode.said).toContain(`E-${id} TLS or not`);
    expect((await call('show', `${id}`)).said).toBe(byCode.said);
    expect((await call('export', `e${id}`)).said).toMatch(/^experiment|^\w+,/);
  });

  it('show prints a run by its name', async () => {
    for (const name of namesOfRun()) {
      const { code, said, noted } = await call('show', ...name);
      expect([code, noted]).toEqual([0, '']);
      expect(said).toContain(`E-${id}, run 1`);
      expect(said).toContain('repetition 1');
      expect(said).toMatch(/Latency, median +\d/);
    }
    const json = JSON.parse((await call('show', `E-${id}/1`, '--json')).said);
    expect(json.run).toMatchObject({ id: runId, experimentId: id, trialNumber: 1 });
  });

  it('export writes the series or everything of a run', async () => {
    for (const name of namesOfRun()) {
      const { code, said } = await call('export', ...name, '--format', 'json');
      expect(code).toBe(0);
      expect(JSON.parse(said)).toMatchObject({ id: runId, experimentId: id });
    }
    const { code, noted } = await call('export', `E-${id}/1`, '--format', 'html');
    expect([code, noted]).toEqual([2, expect.stringContaining('for a run, choose csv or json')]);
  });

  it('meter accepts the name of a run or its id', async () => {
    const file = join(folder, 'meter.csv');
    const rows = Array.from({ length: 230 }, (_, i) => `${i * 100},3`).join('\n');
    writeFileSync(file, `elapsed ms,power\n${rows}`);
    const rest = [file, '--role', 'publisher', '--started-at', '1'];
    for (const name of [...namesOfRun(), [`${runId}`]]) {
      const { code, said, noted } = await call('meter', ...name, ...rest);
      expect([code, noted]).toEqual([0, '']);
      expect(said).toContain(`E-${id}, run 1, publisher`);
    }
  });

  it.each([
    [
      ['show', 'E-x'],
      '"E-x" is not an experiment or a run; use the name shown on the page, like E-12 or "E-12, run 3"',
    ],
    [['show', 'E-2/99'], 'E-2 has no run 99; it has runs 1 to 6'],
    [['show', 'E-2/1/7'], 'E-2, run 1 has no attempt 7; it was tried once'],
    [['watch', 'E-2, run 1'], '"E-2, run 1" is a run; watch needs an experiment: E-2'],
    [['compare', 'E-1', 'E-2/1'], '"E-2/1" is a run; compare needs an experiment: E-2'],
    [['storage', 'keep', 'E-2/1'], '"E-2/1" is a run; storage keep needs an experiment: E-2'],
    [['export', 'E-2/1', '--bundle'], '"E-2/1" is a run; export --bundle needs an experiment: E-2'],
    [['meter', 'E-2', 'file.csv'], '"E-2" is an experiment; name one of its runs, like "E-2, run 1"'],
    [['meter', 'none', 'file.csv'], '"none" is not a run'],
  ])('%j is refused with the remedy', async (argv, words) => {
    const { code, noted } = await call(...argv);
    expect([code, noted]).toEqual([2, expect.stringContaining(words)]);
  });
});
