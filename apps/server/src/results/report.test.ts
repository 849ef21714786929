import type { Report } from '@mqttlab/shared/domain/report/report';
import { makeCapture, radioState } from '@mqttlab/shared/testing/captures';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { type AnswerService, makeAnswerService } from './answer-service.ts';
import type { ReportQuestion } from './report.ts';

let service: AnswerService | null = null;
afterEach(() => service?.stop());

function makeRig() {
  const stores = makeTestStores();
  const { id, runs } = playExperiment(stores, { repetitions: 3 }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 20,
  }));
  const made = makeAnswerService({ database: stores.database, stores, software: 'mqttlab test' });
  service = made;
  const get = async (asked: ReportQuestion): Promise<Report> => {
    const how = { experimentIds: [asked.experimentId], signal: new AbortController().signal };
    return (await made.getAnswer('report', asked, how)).parse();
  };
  const question: ReportQuestion = { experimentId: id, takesFlagged: false };
  return { stores, runs, get, question, progress: () => made.findAnswerProgress('report', question, [id]) };
}

describe('a report', () => {
  it('is computed once, and again when a run is excluded', async () => {
    const { stores, runs, get, question, progress } = makeRig();
    expect(progress().state).toBe('idle');
    const report = await get(question);
    expect(report.responses[0]).toMatchObject({ metric: 'latency.p50' });
    expect(report.responses[0]?.estimates[0]?.mean).toBeCloseTo(1.1, 1);
    expect(report.latency[0]?.messages).toBe(600);
    const { state, done, all } = progress();
    expect([state, done]).toEqual(['ready', all]);
    expect(await get(question)).toEqual(report);
    expect(service?.countAnswers().computed).toBe(1);

    stores.runs.updateRun(runs[0]!.id, { exclusion: { reason: 'odd', at: 1 } });
    expect(progress().state).toBe('idle');
    const next = await get(question);
    expect(next.validity).toMatchObject({ used: 8, excluded: 1 });
  });

  it('includes the radio data of runs that were excluded because of it', async () => {
    const { stores, runs, get, question } = makeRig();
    const [first, second] = [runs[0]!, runs[1]!];
    for (const [{ id, verdicts, metrics }, transmitMbit, flagged] of [
      [first, 6, true],
      [second, 433, false],
    ] as const) {
      const publisher = stores.runs.listRoleResults(id).find(({ role }) => role === 'publisher')!;
      const after = { ...radioState, transmitMbit };
      const radio = { interface: 'wlan0', before: radioState, after };
      stores.runs.saveResult(id, 'pi-on-wifi', { ...publisher, radio });
      const fell = { ...verdicts[0]!, id: 'radio-steady', status: flagged ? 'failed' : 'passed' } as const;
      stores.runs.saveRunSummary(id, { verdicts: [...verdicts, fell], metrics, bases: {} });
    }
    const { radio, validity } = await get(question);
    expect(validity).toMatchObject({ used: 8, flagged: 1 });
    expect(radio).toContainEqual(
      expect.objectContaining({ what: 'PHY rate, sending', after: '6.00 to 433 Mbit/s' }),
    );
  });

  it('shows the packets of the first counting run of a treatment', async () => {
    const { stores, runs, get, question } = makeRig();
    const [first, second] = [
      runs[0]!,
      runs.find((run) => run.id !== runs[0]!.id && run.treatmentKey === runs[0]!.treatmentKey)!,
    ];
    for (const [{ id }, name] of [
      [first, 'ward-1'],
      [second, 'ward-2'],
    ] as const) {
      const broker = stores.runs.listRoleResults(id).find(({ role }) => role === 'broker')!;
      const capture = makeCapture({ serverNames: [name] });
      stores.runs.saveResult(id, 'pi-that-captures', { ...broker, capture });
    }
    const fails = { ...first.verdicts[0]!, id: 'capture-agrees', status: 'failed' } as const;
    stores.runs.saveRunSummary(first.id, { ...first, verdicts: [...first.verdicts, fails], bases: {} });
    const report = await get(question);
    expect(report.captured).toMatchObject([{ treatment: first.treatmentKey, role: 'broker' }]);
    const published = JSON.stringify(report.captured);
    expect(published).toContain('ward-2');
    expect(published).not.toContain('ward-1');
  });

  it('reports missing data', async () => {
    const { stores, get } = makeRig();
    await expect(get({ experimentId: 99, takesFlagged: false })).rejects.toThrow(/no experiment 99/);
    const { id } = stores.experiments.createExperiment(stores.experiments.findExperiment(1)!.draft);
    await expect(get({ experimentId: id, takesFlagged: false })).rejects.toThrow(/is a draft/);
  });
});
