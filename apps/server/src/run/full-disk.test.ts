import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StorageError } from '../store/storage-error.ts';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig, type RigOptions } from './testing/rig.ts';

let rig: Rig;
let life: Life;
const begin = async (options: RigOptions = {}) => {
  life = await rig.start(options);
  expect(await life.whenReady(240_000)).toBe(true);
};
beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.remove());

const draft = makeTinyDraft({ repetitions: 1, factors: { security: ['plain'], rate: [200], qos: [1] } });
const runsOf = (id: number) => life.runs.listRuns(id);
const isDone = (id: number) => () => life.experiments.findExperiment(id)?.status === 'done';
const agents = () => Object.values(rig.agents);

/** Nothing can be written from here on, as on a disk that became read-only. */
const lock = () => void life.database.run('PRAGMA query_only = ON');
const unlock = () => void life.database.run('PRAGMA query_only = OFF');

/** Messages to browsers, including those about changes that cannot be stored. */
function listen(): string[] {
  const said: string[] = [];
  life.live.subscribe((event) => {
    if (event.event === 'log') said.push(event.data.text);
  });
  return said;
}

/** One run that completed at its first attempt, with real measurements. */
async function expectWhole(id: number): Promise<void> {
  const runs = runsOf(id);
  expect(runs).toMatchObject([{ status: 'done', attempt: 1, failure: null }]);
  const [run] = runs;
  const results = life.runs.listRoleResults(run?.id ?? 0);
  expect(results.map(({ role, failure }) => [role, failure])).toEqual([
    ['broker', null],
    ['publisher', null],
    ['subscriber', null],
  ]);
  expect(run?.metrics['latency.p50']).toBeGreaterThan(0);
  expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({
    trials: 1,
    done: 1,
    failed: 0,
  });
  await eventually('acknowledgements', () => agents().every(({ kept }) => kept.size === 0));
}

describe('a database that cannot be written', () => {
  it('when a result arrives: it is requested again until there is room, and the run is completed', async () => {
    await begin();
    rig.agents.publisher.paddingBytes = 200_000;
    const { id } = addExperiment(life, draft);
    const said = listen();
    const pages = Number(Object.values(life.database.get('SELECT * FROM pragma_page_count()') ?? {})[0]);
    life.database.run(`PRAGMA max_page_count = ${pages + 10}`);
    await life.scheduler.act(id, 'start');
    await eventually('the reason', () => said.some((text) => /was not stored: The disk is full/.test(text)));
    expect(runsOf(id)[0]?.status).toBe('collecting');
    life.database.run('PRAGMA max_page_count = 1000000');
    await eventually('done', isDone(id));
    await expectWhole(id);
    expect(said.filter((text) => text.includes('was not stored'))).toHaveLength(1);
  });

  it('from the measure phase on: nothing is aborted, and everything is stored when possible', async () => {
    await begin();
    const { id } = addExperiment(life, draft);
    const said = listen();
    rig.loadClock.hold();
    await life.scheduler.act(id, 'start');
    await eventually('running', () => runsOf(id)[0]?.status === 'running');
    lock();
    rig.loadClock.release();
    await eventually('results that wait', () => agents().every(({ kept }) => kept.size === 1));
    expect(agents().flatMap(({ kept }) => [...kept.values()].map(({ result }) => result.failure))).toEqual([
      null,
      null,
      null,
    ]);
    expect(agents().some(({ commands }) => commands.some(({ command }) => command.kind === 'abort'))).toBe(
      false,
    );
    expect(said.join('\n')).toContain('continues, although its state cannot be stored');
    unlock();
    await eventually('done', isDone(id));
    await expectWhole(id);
    expect(life.runs.findRunTimes(runsOf(id)[0]?.id ?? 0).measuredAt).toBeGreaterThan(0);
  });

  it('until the server is stopped: the next server has everything', async () => {
    await begin();
    const { id } = addExperiment(life, draft);
    rig.loadClock.hold();
    await life.scheduler.act(id, 'start');
    await eventually('running', () => runsOf(id)[0]?.status === 'running');
    lock();
    rig.loadClock.release();
    await eventually('results that wait', () => agents().every(({ kept }) => kept.size === 1));
    await life.stop();
    await begin();
    await eventually('done', isDone(id));
    await expectWhole(id);
  });

  it('for longer than a run waits: it is settled when there is room', async () => {
    await begin({ storeTimeoutMs: 100 });
    const { id } = addExperiment(life, draft);
    const said = listen();
    const error = { code: 'connect', message: 'Connection refused.', remedy: 'Look at the broker.' };
    rig.agents.publisher.misconduct.set('connect', { error });
    life.live.subscribe(({ event, data }) => {
      if (event === 'run' && data.status === 'preparing') lock();
    });
    await life.scheduler.act(id, 'start');
    await eventually('the wait is reported', () =>
      said.some((text) => /E-\d+, run \d+ is waiting until the database can be written/.test(text)),
    );
    await eventually('it is abandoned', () => life.failures.some((error) => error instanceof StorageError));
    expect(runsOf(id)[0]?.status).toBe('preparing');
    unlock();
    await eventually('done', isDone(id));
    expect(runsOf(id)).toMatchObject([{ status: 'failed', failure: error }]);
    expect(life.experiments.findExperimentSummary(id)?.progress).toMatchObject({ failed: 1, running: 0 });
  });
});
