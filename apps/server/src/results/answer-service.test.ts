import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { type SharedContent, sharedContentSchema } from '@mqttlab/shared/messages/shares';
import { childrenOf, commandOf } from '@mqttlab/shared/testing/processes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EncodedJson } from '../base/encoded-json.ts';
import { ProblemError } from '../base/errors.ts';
import { type Database, openDatabase } from '../store/database.ts';
import { makeAnswerStore } from '../store/experiments/answer-store.ts';
import { makeSecretBox } from '../store/secret-box.ts';
import { makeStores, type Stores } from '../store/stores.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type AnswerService, type AnswerServiceOptions, makeAnswerService } from './answer-service.ts';
import { freezeShare } from './background-answers.ts';
import { makeComparison } from './compare.ts';

let folder: string;
let database: Database;
let answers: AnswerService;
let stores: Stores;
const never = new AbortController().signal;

const software = 'mqttlab test';
/** The code alone needs more. */
const tooLittleMb = 8;
const open = (more: Partial<AnswerServiceOptions> = {}) =>
  makeAnswerService({ database, stores, software, ...more });

const textOf = ({ bytes }: EncodedJson): string => Buffer.from(bytes).toString('utf8');
const parse = (json: EncodedJson): unknown => JSON.parse(textOf(json));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-answers-'));
  database = openDatabase(join(folder, 'answers.db'));
  stores = makeStores(database, makeSecretBox(randomBytes(32)));
  answers = open();
});
afterEach(async () => {
  await answers.stop();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('answers from a worker', () => {
  it('equal those of the stores', async () => {
    const { id, runs } = playExperiment(stores);
    const how = { experimentIds: [id], signal: never };
    const query = { experiments: String(id) };
    expect(parse(await answers.getAnswer('comparison', query, how))).toEqual(
      JSON.parse(JSON.stringify(await makeComparison(stores, query))),
    );
    const run = runs[1]!.id;
    expect(parse(await answers.getAnswer('run', run, how))).toEqual(
      JSON.parse(JSON.stringify(stores.runs.findRunDetail(run))),
    );
    expect(parse(await answers.getAnswer('experiment', id, how))).toEqual(
      JSON.parse(JSON.stringify(stores.experiments.findExperimentDetail(id))),
    );
  });

  it('are computed once for many callers, and again after a change of their inputs', async () => {
    const { id, runs } = playExperiment(stores);
    const other = playExperiment(stores).id;
    const [first] = runs;
    const ask = () =>
      answers.getAnswer('comparison', { experiments: String(id) }, { experimentIds: [id], signal: never });
    const before = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(before).size).toBe(1);
    expect(answers.countAnswers().computed).toBe(1);

    stores.experiments.updateExperiment(other, { name: 'Another name' });
    await ask();
    expect(answers.countAnswers().computed).toBe(1);

    const device = { id: 'pi-1', role: 'broker', testbedId: 'local', tokenHash: 'x' } as const;
    stores.devices.saveDevice({ ...device, name: 'pi' });
    const changes: [string, () => void][] = [
      ['name', () => stores.experiments.updateExperiment(id, { name: 'Renamed' })],
      ['exclusion', () => stores.runs.updateRun(first!.id, { exclusion: { reason: 'door', at: 1 } })],
      [
        'flag and figures',
        () => stores.runs.saveRunSummary(first!.id, { verdicts: [], metrics: { 'latency.p50': 7 } }),
      ],
      ['definitions', () => stores.runs.saveDefinitions(first!.id, 99)],
      [
        'result',
        () => void stores.runs.saveResult(first!.id, 'more', stores.runs.listRoleResults(first!.id)[0]!),
      ],
      ['device name', () => void stores.devices.saveDevice({ ...device, name: 'pi 2' })],
    ];
    let computed = 1;
    for (const [what, change] of changes) {
      change();
      computed += 1;
      await ask();
      expect([what, answers.countAnswers().computed]).toEqual([what, computed]);
      await ask();
      expect([what, answers.countAnswers().computed]).toEqual([what, computed]);
    }
  });

  it('use a bounded amount of memory', async () => {
    const { id, runs } = playExperiment(stores);
    const capacity = 100_000;
    const bounded = open({ capacity });
    for (const run of runs) await bounded.getAnswer('run', run.id, { experimentIds: [id], signal: never });
    const { bytes, cached } = bounded.countAnswers();
    expect(bytes).toBeLessThanOrEqual(capacity);
    expect(cached).toBeGreaterThan(0);
    expect(cached).toBeLessThan(runs.length);
    await bounded.stop();
  });

  it('report a missing experiment and continue', async () => {
    const { id } = playExperiment(stores);
    const how = { experimentIds: [id], signal: never };
    await expect(answers.getAnswer('run', 999, how)).rejects.toThrow(/no run 999/);
    await expect(answers.getAnswer('experiment', id, how)).resolves.toBeDefined();
  });

  it('are not started for callers that have disconnected', async () => {
    const { id, runs } = playExperiment(stores);
    const gone = new AbortController();
    const asked = runs.map(({ id: run }) =>
      answers.getAnswer('run', run, { experimentIds: [id], signal: gone.signal }).then(
        () => 'answered',
        (error: Error) => error.message,
      ),
    );
    gone.abort(new Error('gone'));
    // The first one was in progress.
    expect(await Promise.all(asked)).toEqual(['answered', ...runs.slice(1).map(() => 'gone')]);
  });

  it('report an unreadable row', async () => {
    const { id, runs } = playExperiment(stores);
    const [run] = runs;
    database.run("UPDATE run_results SET body_packed = x'00' WHERE run_id = :id", { id: run!.id });
    const asked = answers.getAnswer('run', run!.id, { experimentIds: [id], signal: never });
    await expect(asked).rejects.toMatchObject({ code: 'unreadable-row' });
    await expect(asked).rejects.toThrow(/The stored data of run \d+ cannot be read/);
  });

  it('show the current state of a shared experiment, and its frozen state for a frozen link', async () => {
    const { id } = playExperiment(stores);
    stores.experiments.updateExperiment(id, { status: 'done' });
    const subject = { kind: 'experiment', experimentId: id } as const;
    const { token } = stores.shares.createShare({ subject, title: 'x', expiresAt: null, details: false });
    const show = async () => {
      const frozenAt = stores.shares.findShare(token)?.share.frozenAt ?? null;
      const asked = { subject, token, frozenAt };
      return sharedContentSchema.parse(
        parse(await answers.getAnswer('shared', asked, { experimentIds: [id], signal: never })),
      );
    };
    const nameIn = ({ content }: SharedContent) => content.kind === 'experiment' && content.experiment.name;
    const live = await show();
    expect([live.frozenAt, nameIn(live)]).toEqual([null, 'TLS or not']);

    await freezeShare({ ...stores, answers }, { token, subject }, true);
    stores.experiments.updateExperiment(id, { name: 'later' });
    const frozen = await show();
    expect([frozen.live, typeof frozen.frozenAt, nameIn(frozen)]).toEqual([false, 'number', 'TLS or not']);
    expect(frozen.content).toEqual(live.content);
  });

  it('leave no process for reports behind: it ends when idle, and starts again on demand', async () => {
    const { id } = playExperiment(stores);
    const brief = open({ idleMs: 0 });
    const ask = (takesFlagged: boolean) =>
      brief.getAnswer('report', { experimentId: id, takesFlagged }, { experimentIds: [id], signal: never });
    expect(brief.countAnswers().workers).toBe(0);
    for (const takesFlagged of [false, true]) {
      const report = (await ask(takesFlagged)).parse<Report>();
      expect(report.validity).toMatchObject({ takesFlagged, done: 6 });
      await expect.poll(() => brief.countAnswers().workers).toBe(0);
    }
    await brief.stop();
  });

  it('fail with a reason if their process is killed; the next call starts another, and none is left after the stop', async () => {
    const { id } = playExperiment(stores);
    const processes = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('answer-worker'));
    const ask = (takesFlagged: boolean) =>
      answers.getAnswer('report', { experimentId: id, takesFlagged }, { experimentIds: [id], signal: never });
    const asked = ask(false);
    const [pid] = processes();
    process.kill(pid!, 'SIGTERM');
    await expect(asked).rejects.toThrow('the answer process exited with SIGTERM');
    expect((await ask(false)).parse<Report>().validity).toMatchObject({ done: 6 });
    expect(processes()).toHaveLength(1);
    const stopped = ask(true);
    await Promise.all([expect(stopped).rejects.toThrow('The server is stopping.'), answers.stop()]);
    expect(processes()).toEqual([]);
  });

  it('that need more memory than a process has are refused with a remedy, one by one', async () => {
    const { id } = playExperiment(stores);
    const small = open({ memoryMb: tooLittleMb });
    const ask = (takesFlagged: boolean) =>
      small.getAnswer('report', { experimentId: id, takesFlagged }, { experimentIds: [id], signal: never });
    for (const takesFlagged of [false, true]) {
      await expect(ask(takesFlagged)).rejects.toMatchObject({
        problem: {
          status: 422,
          detail: `This request needs more than ${tooLittleMb} MB of memory.`,
          remedy: expect.stringContaining('export'),
        },
      });
    }
    await small.stop();
  });

  it('refuse callers above the limit, with a time to retry', async () => {
    const { id, runs } = playExperiment(stores);
    const few = open({ maxWaiting: 2 });
    const asked = runs
      .slice(0, 5)
      .map(({ id: run }) =>
        few
          .getAnswer('run', run, { experimentIds: [id], signal: never })
          .catch((error: ProblemError) => error),
      );
    const answered = await Promise.all(asked);
    // One is in progress and two wait.
    expect(answered.map((one) => one instanceof ProblemError)).toEqual([false, false, false, true, true]);
    expect(answered[4]).toMatchObject({ problem: { status: 503 }, headers: { 'Retry-After': '5' } });
    await few.stop();
  });
});

describe('answers about finished experiments', () => {
  const finished = () => {
    const played = playExperiment(stores, { repetitions: 3 });
    stores.experiments.updateExperiment(played.id, { status: 'done' });
    return played;
  };
  const askReport = (service: AnswerService, experimentId: number) =>
    service.getAnswer(
      'report',
      { experimentId, takesFlagged: false },
      { experimentIds: [experimentId], signal: never },
    );
  const storedCount = () => makeAnswerStore(database, '').count();
  /** Answers are compressed and stored after they were returned. */
  const expectStored = async (count: number): Promise<void> => {
    await answers.idle();
    expect(storedCount()).toBe(count);
  };

  it('are stored: another server does not compute them again', async () => {
    const { id } = finished();
    const query = { experiments: String(id) };
    const report = await askReport(answers, id);
    const comparison = await answers.getAnswer('comparison', query, { experimentIds: [id], signal: never });
    await expectStored(2);
    await answers.stop();

    answers = open();
    answers.start();
    expect(textOf(await askReport(answers, id))).toBe(textOf(report));
    const again = await answers.getAnswer('comparison', query, { experimentIds: [id], signal: never });
    expect(textOf(again)).toBe(textOf(comparison));
    expect(answers.countAnswers().computed).toBe(0);
    const file = { question: { experimentId: id, takesFlagged: false }, format: 'html' } as const;
    const html = await answers.getAnswer('reportFile', file, { experimentIds: [id], signal: never });
    expect(Buffer.from(html.bytes).toString()).toContain('<figure>');
  });

  it('are removed with every change of their experiments, and of no other', async () => {
    const one = finished();
    const two = finished();
    const together = { experiments: `${one.id},${two.id}` };
    await askReport(answers, one.id);
    await askReport(answers, two.id);
    await answers.getAnswer('comparison', together, { experimentIds: [one.id, two.id], signal: never });
    await expectStored(3);

    stores.runs.updateRun(one.runs[0]!.id, { exclusion: { reason: 'door', at: 1 } });
    expect(storedCount()).toBe(1);
    const { validity } = (await askReport(answers, one.id)).parse<Report>();
    expect(validity).toMatchObject({ excluded: 1 });
    await expectStored(2);
    stores.experiments.purgeExperiment(two.id);
    expect(storedCount()).toBe(1);
  });

  it('of another version of the program are removed', async () => {
    const { id } = finished();
    await askReport(answers, id);
    await expectStored(1);
    const next = open({ software: 'mqttlab next' });
    next.start();
    expect(storedCount()).toBe(0);
    expect((await askReport(next, id)).parse<Report>().software).toBe('mqttlab next');
    await next.stop();
  });

  it('are computed again if the stored one is damaged', async () => {
    const { id } = finished();
    const report = await askReport(answers, id);
    await expectStored(1);
    database.run('UPDATE stored_answers SET packed = :packed', { packed: Buffer.from('damaged') });
    await answers.stop();
    answers = open();
    expect(textOf(await askReport(answers, id))).toBe(textOf(report));
    expect(answers.countAnswers().computed).toBe(1);
  });

  it('use bounded space: the oldest are removed', async () => {
    const { id } = finished();
    const small = makeAnswerStore(database, software, 1000);
    const { revision } = stores.experiments.findRevision([id]);
    for (const key of ['a', 'b', 'c'])
      small.saveAnswer({ key, revision, packed: Buffer.alloc(400, key) }, [id]);
    expect(['a', 'b', 'c'].map((key) => small.findAnswer({ key, revision })?.length)).toEqual([
      undefined,
      400,
      400,
    ]);
  });

  it('are not stored while an experiment runs', async () => {
    const { id } = playExperiment(stores, { repetitions: 3 });
    stores.experiments.updateExperiment(id, { status: 'running' });
    await askReport(answers, id);
    const other = finished();
    await askReport(answers, other.id);
    await expectStored(1);
  });
});
