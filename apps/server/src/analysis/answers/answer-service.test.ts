import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EncodedJson } from '../../base/encoded-json.ts';
import { type Database, openDatabase } from '../../store/database.ts';
import { makeExperimentStore } from '../../store/experiments/experiment-store.ts';
import { makeRunStore } from '../../store/runs/run-store.ts';
import { makeDeviceStore } from '../../store/settings/device-store.ts';
import { playExperiment } from '../../testing/stores-factory.ts';
import { makeComparison } from '../compare.ts';
import { type AnswerService, makeAnswerService } from './answer-service.ts';

let folder: string;
let database: Database;
let answers: AnswerService;
let stores: ReturnType<typeof makeStores>;
const never = new AbortController().signal;

function makeStores(from: Database) {
  return { experiments: makeExperimentStore(from), runs: makeRunStore(from), devices: makeDeviceStore(from) };
}

const parse = ({ bytes }: EncodedJson): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-answers-'));
  database = openDatabase(join(folder, 'answers.db'));
  stores = makeStores(database);
  answers = makeAnswerService({ database, stores });
});
afterEach(async () => {
  await answers.stop();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('answers from a thread', () => {
  it('are those that the stores give', async () => {
    const { id, runs } = playExperiment(stores);
    const how = { experimentIds: [id], signal: never };
    const query = { experiments: String(id) };
    expect(parse(await answers.get('comparison', query, how))).toEqual(
      JSON.parse(JSON.stringify(await makeComparison(stores, query))),
    );
    const run = runs[1]!.id;
    expect(parse(await answers.get('run', run, how))).toEqual(
      JSON.parse(JSON.stringify(stores.runs.detail(run))),
    );
    expect(parse(await answers.get('experiment', id, how))).toEqual(
      JSON.parse(JSON.stringify(stores.experiments.detail(id))),
    );
  });

  it('are computed once for many callers, and again after anything they depend on changed', async () => {
    const { id, runs } = playExperiment(stores);
    const other = playExperiment(stores).id;
    const [first] = runs;
    const ask = () =>
      answers.get('comparison', { experiments: String(id) }, { experimentIds: [id], signal: never });
    const before = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(before).size).toBe(1);
    expect(answers.counts().computed).toBe(1);

    stores.experiments.update(other, { name: 'Another name' });
    await ask();
    expect(answers.counts().computed).toBe(1);

    const device = { id: 'pi-1', role: 'broker', testbedId: 'local', tokenHash: 'x' } as const;
    stores.devices.save({ ...device, name: 'pi' });
    const changes: [string, () => void][] = [
      ['name', () => stores.experiments.update(id, { name: 'Renamed' })],
      ['exclusion', () => stores.runs.update(first!.id, { exclusion: { reason: 'door', at: 1 } })],
      [
        'flag and figures',
        () => stores.runs.saveSummary(first!.id, { verdicts: [], metrics: { 'latency.p50': 7 } }),
      ],
      ['definitions', () => stores.runs.markDefined(first!.id, 99)],
      ['result', () => void stores.runs.saveResult(first!.id, 'more', stores.runs.results(first!.id)[0]!)],
      ['device name', () => void stores.devices.save({ ...device, name: 'pi 2' })],
    ];
    let computed = 1;
    for (const [what, change] of changes) {
      change();
      computed += 1;
      await ask();
      expect([what, answers.counts().computed]).toEqual([what, computed]);
      await ask();
      expect([what, answers.counts().computed]).toEqual([what, computed]);
    }
  });

  it('take a bounded amount of memory', async () => {
    const { id, runs } = playExperiment(stores);
    const capacity = 100_000;
    const bounded = makeAnswerService({ database, stores, capacity });
    for (const run of runs) await bounded.get('run', run.id, { experimentIds: [id], signal: never });
    const { bytes, cached } = bounded.counts();
    expect(bytes).toBeLessThanOrEqual(capacity);
    expect(cached).toBeGreaterThan(0);
    expect(cached).toBeLessThan(runs.length);
    await bounded.stop();
  });

  it('tell what is not there, and go on', async () => {
    const { id } = playExperiment(stores);
    const how = { experimentIds: [id], signal: never };
    await expect(answers.get('run', 999, how)).rejects.toThrow(/no run 999/);
    await expect(answers.get('experiment', id, how)).resolves.toBeDefined();
  });

  it('are not begun for callers that are gone', async () => {
    const { id, runs } = playExperiment(stores);
    const gone = new AbortController();
    const asked = runs.map(({ id: run }) =>
      answers.get('run', run, { experimentIds: [id], signal: gone.signal }).then(
        () => 'answered',
        (error: Error) => error.message,
      ),
    );
    gone.abort(new Error('gone'));
    // The first one was under way.
    expect(await Promise.all(asked)).toEqual(['answered', ...runs.slice(1).map(() => 'gone')]);
  });
});
