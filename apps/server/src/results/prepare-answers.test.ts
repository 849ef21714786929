import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExperimentStatus } from '@mqttlab/shared/domain/runs/statuses';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Bus, makeBus } from '../live/live.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { makeSecretBox } from '../store/secret-box.ts';
import { makeStores, type Stores } from '../store/stores.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type AnswerService, makeAnswerService } from './answer-service.ts';
import { startPreparing } from './background-answers.ts';

let folder: string;
let database: Database;
let stores: Stores;
let answers: AnswerService;
let bus: Bus;
let preparing: ReturnType<typeof startPreparing>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-prepare-'));
  database = openDatabase(join(folder, 'prepare.db'));
  stores = makeStores(database, makeSecretBox(randomBytes(32)));
  answers = makeAnswerService({ database, stores, software: 'mqttlab test' });
  const fail = (error: unknown) => expect.unreachable(String(error));
  bus = makeBus({ nowMs: Date.now, onError: fail });
  preparing = startPreparing({ ...stores, answers, subscribe: bus.subscribe, onError: fail });
});
afterEach(async () => {
  preparing.stop();
  await answers.stop();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

function show(id: number, status: ExperimentStatus): void {
  stores.experiments.updateExperiment(id, { status });
  const data = stores.experiments.findExperimentSummary(id)!;
  bus.publish({ event: 'experiment', experimentId: id, runId: null, data });
}

const reportOf = (experimentId: number) => ({ experimentId, takesFlagged: false });
const stored = () =>
  database
    .all('SELECT key FROM stored_answers ORDER BY key')
    .map((row) => String((row as { key: string }).key));
const keysOf = (id: number) => [
  `comparison {"experiments":"${id}"}`,
  `report {"experimentId":${id},"takesFlagged":false}`,
];
const untilStored = (ids: readonly number[]) => expect.poll(stored).toEqual(ids.flatMap(keysOf).sort());

it('computes comparison and report when an experiment has finished', async () => {
  const { id } = playExperiment(stores);
  show(id, 'done');
  await untilStored([id]);
});

it('waits until no experiment is active, and then computes all due answers', async () => {
  const [first, second] = [playExperiment(stores).id, playExperiment(stores).id];
  show(second, 'queued');
  show(first, 'done');
  show(second, 'done');
  await untilStored([first, second]);
});

it.each(['comparison', 'report'] as const)(
  'ends the computation of a %s when another experiment is queued, and starts it again afterwards',
  async (kind) => {
    const [first, second] = [playExperiment(stores).id, playExperiment(stores).id];
    show(first, 'done');
    const stateOf = () =>
      kind === 'report'
        ? answers.findAnswerProgress('report', reportOf(first), [first]).state
        : answers.findAnswerProgress('comparison', { experiments: String(first) }, [first]).state;
    await expect.poll(stateOf, { interval: 0 }).toBe('working');
    show(second, 'queued');
    await answers.idle();
    expect(stateOf()).toBe('idle');
    expect(stored()).toEqual(kind === 'report' ? keysOf(first).slice(0, 1) : []);

    show(second, 'done');
    await untilStored([first, second]);
  },
);

it('returns the answer to callers that wait for it', async () => {
  const [first, second] = [playExperiment(stores).id, playExperiment(stores).id];
  const asked = answers.getAnswer('report', reportOf(first), {
    experimentIds: [first],
    signal: new AbortController().signal,
  });
  show(first, 'done');
  show(second, 'queued');
  expect((await asked).parse()).toMatchObject({ experiment: { id: first } });
});
