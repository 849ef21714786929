import type { MeterUpload } from '@mqttlab/shared/messages/meter';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { takeMeter } from '../results/store-meter.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { startApiRig } from './testing/api-rig.ts';

type Rig = Awaited<ReturnType<typeof startApiRig>>;

/** Start of the played runs, Unix ms. */
const measuredAt = 1500;

describe('the CSV of a meter', () => {
  let rig: Rig;
  let runId = 0;
  beforeAll(async () => {
    rig = await startApiRig();
    const { runs } = playExperiment(rig);
    runId = runs[0]?.id ?? 0;
  });
  afterAll(() => rig.stop());

  const upload = (text: string, query = '', id = runId) =>
    rig.api(`/runs/${id}/meter?role=publisher${query}`, {
      method: 'POST',
      text,
      headers: { 'content-type': 'text/csv' },
    });
  const energyOf = () => rig.runs.findRunDetail(runId)?.metrics['energy.publisher'];

  it('is aligned by time and stored, and the run is recomputed with it', async () => {
    const measureS = (rig.runs.findRunDetail(runId)?.treatment.spec.measureMs ?? 0) / 1000;
    expect(energyOf()).toBeNull();
    const relative = Array.from({ length: 230 }, (_, i) => `${i * 100},3`).join('\n');
    const good = await upload(
      `elapsed ms,power\n${relative}`,
      `&startedAt=${measuredAt - 3000}&name=Joulescope`,
    );
    expect(good.status).toBe(201);
    expect(good.body as MeterUpload).toMatchObject({
      role: 'publisher',
      samples: 230,
      fromMs: -3000,
      measureJ: expect.closeTo(3 * measureS, 6),
      baselineW: expect.closeTo(3, 6),
      baselineWindow: { fromMs: -3000, toMs: expect.closeTo(-749, 6) },
      gaps: null,
    });
    const detail = rig.runs.findRunDetail(runId);
    const publisher = detail?.results.find(({ role }) => role === 'publisher');
    expect(publisher?.energy).toMatchObject({ quality: 'measured', detail: 'Joulescope' });
    expect(energyOf()).toBeCloseTo(3 * measureS, 6);
    expect(detail?.bases?.energy).toBe('measured');
    const power = rig.runs.readSeries([runId], { metric: 'energy.power', role: 'publisher' });
    expect(power.map(({ series }) => series.values.length)).toEqual([230]);
  });

  it('replaces an earlier file about the same role, and nothing else', async () => {
    const before = rig.runs.findRunDetail(runId);
    const date = (i: number) => new Date(measuredAt - 3000 + i * 100 + 250).toISOString();
    const dated = Array.from({ length: 230 }, (_, i) => `${date(i)};4,5`).join('\n');
    const answer = await upload(`time;P [W]\n${dated}`, '&aheadMs=250');
    expect(answer.body as MeterUpload).toMatchObject({ fromMs: -3000, measureJ: expect.any(Number) });
    const after = rig.runs.findRunDetail(runId);
    expect(
      (after?.metrics['energy.publisher'] ?? 0) / (before?.metrics['energy.publisher'] ?? 1),
    ).toBeCloseTo(1.5, 6);
    const others = (detail: typeof after) => detail?.results.filter(({ role }) => role !== 'publisher');
    expect(others(after)).toEqual(others(before));
    expect(after?.metrics['latency.p50']).toBe(before?.metrics['latency.p50']);
  });

  it.each([
    ['nonsense', 'hello', 422, 'line 1'],
    ['a bad line', 'elapsed ms,power\n0,3\n100,OL\n', 422, 'line 3'],
    ['no power', 'time,temperature\n0,20\n', 422, 'line 1'],
    ['times without a beginning', 'elapsed ms,power\n0,3\n100,3\n', 422, 'startedAt'],
    [
      'another day',
      `${'2031-01-01T00:00:00Z,3\n'.replace(/^/, 'time,power\n')}2031-01-01T00:00:01Z,3\n`,
      422,
      'cover',
    ],
  ])('with %s is refused with its reason, and nothing is changed', async (...[, text, status, words]) => {
    const before = energyOf();
    const answer = await upload(text);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(words);
    expect(energyOf()).toBe(before);
  });

  it('of a whole experiment: no earlier run counts as idle time', async () => {
    const own = await startApiRig();
    onTestFinished(() => own.stop());
    const played = playExperiment(own).runs.slice(0, 3);
    // Prepared, measuring and over; the second begins 1.5 s after the first, the third at once.
    const base = 1_760_000_000_000;
    const times = [10, 40, 68.5].map((startS) => ({
      startedAt: base + startS * 1000,
      measuredAt: base + (startS + 3) * 1000,
      finishedAt: base + (startS + 28.5) * 1000,
    }));
    for (const [index, run] of played.entries()) own.runs.updateRun(run.id, times[index] ?? {});
    // The other runs of this experiment were on another day.
    for (const run of own.runs.listRuns(played[0]?.experimentId ?? 0).slice(3)) {
      own.runs.updateRun(run.id, {
        startedAt: base - 9e8,
        measuredAt: base - 9e8,
        finishedAt: base - 9e8 + 1,
      });
    }
    const isBusy = (at: number) =>
      times.some(({ startedAt, finishedAt }) => at >= startedAt && at < finishedAt);
    const rows = Array.from({ length: 1200 }, (_, i) => base + i * 100).map(
      (at) => `${at},${isBusy(at) ? 5 : 3}`,
    );
    const text = `time_ms,power_W\n${rows.join('\n')}`;
    const idle: { watts: number | null; aboveIdleJ: number }[] = [];
    for (const { id } of played) {
      const answer = await own.api(`/runs/${id}/meter?role=publisher`, {
        method: 'POST',
        text,
        headers: { 'content-type': 'text/csv' },
      });
      expect(answer.status, answer.text).toBe(201);
      const detail = own.runs.findRunDetail(id);
      const { energy } = detail?.results.find(({ role }) => role === 'publisher') ?? {};
      expect(energy?.baselineWindow).toEqual((answer.body as MeterUpload).baselineWindow);
      idle.push({
        watts: energy?.baselineW ?? null,
        aboveIdleJ: detail?.metrics['energyNet.publisher'] ?? 0,
      });
    }
    const measureS = (own.runs.findRunDetail(played[0]?.id ?? 0)?.treatment.spec.measureMs ?? 0) / 1000;
    for (const { watts, aboveIdleJ } of idle) {
      expect(watts).toBeCloseTo(3, 9);
      expect(aboveIdleJ).toBeCloseTo(2 * measureS, 6);
    }
    // The third run follows another one directly, so it uses the idle time before that one.
    const kept = own.runs.readSeries([played[2]?.id ?? 0], { metric: 'energy.power', role: 'publisher' });
    expect(kept[0]?.series.timesMs[0]).toBeLessThan(-30_000);
  });

  it('belongs to one of several devices of a role, which must be specified', async () => {
    const { runs, plan } = playExperiment(rig);
    const run = runs[0];
    const spec = plan.treatments.find(({ key }) => key === run?.treatmentKey)?.spec;
    if (!run || !spec) throw new Error('nothing was played');
    rig.runs.saveResult(run.id, 'pi-4', {
      ...makeTestResult('publisher', { spec }),
      share: { index: 1, of: 2 },
    });
    const powerOf = (device: string) =>
      rig.runs.findRunDetail(run.id)?.results.find((result) => result.device === device)?.energy?.measureJ ??
      null;
    const csv = (watts: number) =>
      `elapsed ms,power\n${Array.from({ length: 230 }, (_, i) => `${i * 100},${watts}`).join('\n')}`;
    const begin = `&startedAt=${measuredAt - 3000}`;

    const unnamed = await upload(csv(3), begin, run.id);
    expect(unnamed.status).toBe(422);
    expect(unnamed.text).toContain('Choose one of local-publisher, pi-4');
    const stranger = await upload(csv(3), `${begin}&device=pi-9`, run.id);
    expect(stranger.status).toBe(422);
    expect(stranger.text).toContain('pi-9 did not have the role publisher in E-');
    expect([powerOf('local-publisher'), powerOf('pi-4')]).toEqual([null, null]);

    const named = await upload(csv(3), `${begin}&device=pi-4&name=Otii`, run.id);
    expect(named.body).toMatchObject({ role: 'publisher', device: 'pi-4' });
    expect([powerOf('local-publisher'), powerOf('pi-4')]).toEqual([
      null,
      expect.closeTo((3 * spec.measureMs) / 1000, 6),
    ]);
    await upload(csv(5), `${begin}&device=local-publisher&name=Joulescope`, run.id);
    expect((powerOf('local-publisher') ?? 0) / (powerOf('pi-4') ?? 1)).toBeCloseTo(5 / 3, 6);
    const power = rig.runs.readSeries([run.id], { metric: 'energy.power', role: 'publisher' });
    expect(power.map(({ deviceId }) => deviceId).sort()).toEqual(['local-publisher', 'pi-4']);
  });

  it('requires an existing completed run and a role', async () => {
    expect((await upload('time,power\n', '', 4711)).status).toBe(404);
    const draft = rig.createDraft();
    expect(draft).toBeGreaterThan(0);
    const call = { method: 'POST', text: 'x', headers: { 'content-type': 'text/csv' } };
    expect((await rig.api(`/runs/${runId}/meter`, call)).status).toBe(400);
    expect((await rig.api(`/runs/${runId}/meter?role=king`, call)).status).toBe(400);
  });

  it('is refused if the series of the run are removed while a long file is read', async () => {
    const { storage, runs } = rig;
    const other = playExperiment(rig).runs[0]?.id ?? 0;
    const before = runs.findRunDetail(other)?.metrics;
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},3.00`).join('\n');
    const query = { role: 'publisher', startedAt: measuredAt - 3000 } as const;
    const taken = takeMeter(rig, other, {
      query: { name: 'Joulescope', ...query },
      text: `elapsed ms,power\n${rows}`,
    });
    storage.saveStorageSettings({ ...storage.readStorageSettings(), retentionDays: 1 });
    while (storage.removeDueSeries() !== null);
    await expect(taken).rejects.toMatchObject({ problem: { status: 409 } });
    expect(runs.findRunDetail(other)?.metrics).toEqual(before);
  });
});
