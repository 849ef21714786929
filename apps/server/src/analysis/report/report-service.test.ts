import { makeCapture, radioState } from '@mqttlab/shared/testing/captures';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTestStores, playExperiment } from '../../testing/stores-factory.ts';
import { makeReportService, type ReportService } from './report-service.ts';

let service: ReportService | null = null;
afterEach(() => service?.stop());

function makeRig() {
  const stores = makeTestStores();
  const { id, runs } = playExperiment(stores, { repetitions: 3 }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 20,
  }));
  service = makeReportService(stores, 'mqttlab test');
  return { stores, runs, service, question: { experimentId: id, takesFlagged: false } };
}

const never = new AbortController().signal;

describe('makeReportService', () => {
  it('makes a report in a thread, keeps it, and makes a new one when a run is excluded', async () => {
    const { stores, runs, service: made, question } = makeRig();
    expect(made.progress(question).state).toBe('idle');
    const report = await made.get(question, never);
    expect(report.responses[0]).toMatchObject({ metric: 'latency.p50' });
    expect(report.responses[0]?.estimates[0]?.mean).toBeCloseTo(1.1, 1);
    expect(report.latency[0]?.messages).toBe(600);
    expect(made.progress(question)).toMatchObject({ state: 'ready' });
    expect(await made.get(question, never)).toBe(report);

    stores.runs.update(runs[0]!.id, { exclusion: { reason: 'odd', at: 1 } });
    expect(made.progress(question).state).toBe('idle');
    const next = await made.get(question, never);
    expect(next.validity).toMatchObject({ used: 8, excluded: 1 });
  });

  it('ends the work when the last reader gives up, and begins anew for the next', async () => {
    const { service: made, question } = makeRig();
    const first = new AbortController();
    const second = new AbortController();
    const [one, two] = [made.get(question, first.signal), made.get(question, second.signal)];
    first.abort(new Error('gone'));
    expect(made.progress(question).state).toBe('working');
    second.abort(new Error('gone too'));
    await expect(one).rejects.toThrow('gone too');
    await expect(two).rejects.toThrow('gone too');
    expect(made.progress(question).state).toBe('idle');
    expect((await made.get(question, never)).validity.used).toBe(9);
  });

  it('tells the radio of flagged runs too, which left the figures because of it', async () => {
    const { stores, runs, service: made, question } = makeRig();
    const [first, second] = [runs[0]!, runs[1]!];
    for (const [{ id, verdicts, metrics }, transmitMbit, flagged] of [
      [first, 6, true],
      [second, 433, false],
    ] as const) {
      const publisher = stores.runs.results(id).find(({ role }) => role === 'publisher')!;
      const after = { ...radioState, transmitMbit };
      const radio = { interface: 'wlan0', before: radioState, after };
      stores.runs.saveResult(id, 'pi-on-wifi', { ...publisher, radio });
      const fell = { ...verdicts[0]!, id: 'radio-steady', status: flagged ? 'failed' : 'passed' } as const;
      stores.runs.saveSummary(id, { verdicts: [...verdicts, fell], metrics, bases: {} });
    }
    const { radio, validity } = await made.get(question, never);
    expect(validity).toMatchObject({ used: 8, flagged: 1 });
    expect(radio).toContainEqual(
      expect.objectContaining({ what: 'PHY rate, sending', after: '6.00 to 433 Mbit/s' }),
    );
  });

  it('tells what the packets of the first counting run of a treatment showed', async () => {
    const { stores, runs, service: made, question } = makeRig();
    const [first, second] = [
      runs[0]!,
      runs.find((run) => run.id !== runs[0]!.id && run.treatmentKey === runs[0]!.treatmentKey)!,
    ];
    for (const [{ id }, name] of [
      [first, 'ward-1'],
      [second, 'ward-2'],
    ] as const) {
      const broker = stores.runs.results(id).find(({ role }) => role === 'broker')!;
      const capture = makeCapture({ serverNames: [name] });
      stores.runs.saveResult(id, 'pi-that-captures', { ...broker, capture });
    }
    const fails = { ...first.verdicts[0]!, id: 'capture-agrees', status: 'failed' } as const;
    stores.runs.saveSummary(first.id, { ...first, verdicts: [...first.verdicts, fails], bases: {} });
    const report = await made.get(question, never);
    expect(report.captured).toMatchObject([{ treatment: first.treatmentKey, role: 'broker' }]);
    const told = JSON.stringify(report.captured);
    expect(told).toContain('ward-2');
    expect(told).not.toContain('ward-1');
  });

  it('says what is not there', async () => {
    const { stores, service: made } = makeRig();
    await expect(made.get({ experimentId: 99, takesFlagged: false }, never)).rejects.toThrow(
      /no experiment 99/,
    );
    const { id } = stores.experiments.create(stores.experiments.find(1)!.draft);
    await expect(made.get({ experimentId: id, takesFlagged: false }, never)).rejects.toThrow(/is a draft/);
  });
});
