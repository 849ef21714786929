import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

let rig: Rig;
let life: Life;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
});
afterEach(() => rig.remove());

const ended = (id: number) =>
  eventually(`the end of experiment ${id}`, () => {
    const status = life.experiments.findExperiment(id)?.status ?? '';
    return /done|stopped|cancelled/.test(status) && status;
  });

describe('a queue', () => {
  it('fails the runs of a treatment that the plan does not have, and executes the others', async () => {
    const { id, plan } = addExperiment(life, makeTinyDraft({ repetitions: 1, retries: 1 }));
    const [first, second] = plan.treatments;
    life.experiments.savePlan(id, { ...plan, treatments: [first!] });
    await life.scheduler.act(id, 'start');
    expect(await ended(id)).toBe('done');
    const runs = life.runs.listRuns(id);
    expect(runs.filter(({ treatmentKey }) => treatmentKey === first!.key)).toMatchObject([
      { status: 'done' },
    ]);
    const missing = runs.filter(({ treatmentKey }) => treatmentKey === second!.key);
    expect(missing.map(({ status, failure }) => [status, failure?.code])).toEqual([
      ['failed', 'plan-damaged'],
      ['failed', 'plan-damaged'],
    ]);
    expect(missing[0]?.failure?.message).toContain(second!.key);
    expect(life.failures).toEqual([]);
  });

  it('stops an unreadable experiment with the reason, and continues with the next', async () => {
    rig.agents.broker.misconduct.set('prepare-broker', 'silence');
    const damaged = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    const next = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
    await life.scheduler.act(damaged.id, 'start');
    await life.scheduler.act(next.id, 'start');
    await eventually('a run', () => life.runs.listRuns(damaged.id)[0]?.status === 'preparing');
    life.database.run("UPDATE experiments SET draft_json = 'no draft' WHERE id = :id", { id: damaged.id });
    rig.agents.broker.misconduct.clear();
    rig.agents.broker.disconnect();
    await rig.agents.broker.reconnect();
    expect(await ended(next.id)).toBe('done');
    const log = life.runs.listRecentLogLines(200).map(({ line }) => line.text);
    expect(log).toContainEqual(expect.stringMatching(/Experiment \d+ could not be executed/));
  });
});
