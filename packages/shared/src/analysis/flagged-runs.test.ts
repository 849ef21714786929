import { expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import { rowMetricsOf } from '../domain/runs/run.ts';
import { flaggedCount, isLargelyFlagged, noticeOfFlagged } from './flagged-runs.ts';

const latency = findMetric('latency.p50')!;
const bytes = findMetric('wire.perMessage')!;

/** Runs by the checks that failed in each. */
const treatmentOf = (...failed: string[][]) => ({
  runs: failed.map((ids, index) => ({
    runId: index + 1,
    block: index + 1,
    flagged: ids.length > 0,
    failed: ids,
    metrics: { 'latency.p50': 1, 'wire.perMessage': 100, 'count.received': 5, 'count.lost': 0 },
  })),
});

it('counts the flagged runs of a treatment for the metric they are flagged for', () => {
  const treatment = treatmentOf(['device-idle'], ['device-idle'], []);
  expect(flaggedCount(treatment, latency)).toBe('2 of 3 flagged');
  expect(flaggedCount(treatment, bytes)).toBeNull();
});

it('says why, what counts, what is not affected and what to do where more than a third is flagged', () => {
  const treatments = [
    treatmentOf(['device-idle'], ['device-idle', 'kept-schedule'], ['device-idle']),
    treatmentOf([], [], []),
  ];
  expect(noticeOfFlagged(treatments, latency)).toEqual({
    flagged: 3,
    why: 'Other programs used the CPU in 3 of 6 runs; generator fell behind schedule in 1.',
    counts: '3 of 6 runs count for median latency.',
    unaffected: 'Not affected, for example: wire bytes per message and received messages.',
    remedy: expect.stringMatching(/^Close other programs/),
  });
  expect(noticeOfFlagged(treatments, bytes)).toBeNull();
});

it('says the same of lists of runs, so that the page does not move when the complete runs arrive', () => {
  const failed = ['device-idle'];
  const treatments = [treatmentOf(failed, failed, failed), treatmentOf([], [], [])];
  const shown = rowMetricsOf({ response: latency.id } as never);
  const listed = treatments.map(({ runs }) => ({
    runs: runs.map(({ metrics, ...run }) => ({
      ...run,
      metrics: Object.fromEntries(Object.entries(metrics).filter(([id]) => shown.includes(id))),
    })),
  }));
  expect(noticeOfFlagged(listed, latency)).toEqual(noticeOfFlagged(treatments, latency));
});

it('says that flagged runs are included on request, and counts only runs with a value', () => {
  const treatments = [
    treatmentOf(['device-idle'], ['device-idle'], ['device-idle']),
    treatmentOf([], [], []),
  ];
  expect(noticeOfFlagged(treatments, latency, true)?.counts).toBe(
    '6 of 6 runs count for median latency, 3 of them flagged and included on request.',
  );
  const without = treatments.map(({ runs }) => ({
    runs: runs.map((run) => (run.flagged ? run : { ...run, metrics: {} })),
  }));
  expect(noticeOfFlagged(without, latency)?.counts).toBe('0 of 6 runs count for median latency.');
});

it('does not name bytes as not affected where messages may share TLS records', () => {
  const failed = ['kept-schedule', 'separate-records'];
  const treatments = [treatmentOf(failed, failed, failed), treatmentOf([], [], [])];
  expect(noticeOfFlagged(treatments, latency)?.unaffected).toBe(
    'Not affected, for example: received messages.',
  );
});

it('says nothing of a third, and names a check that is not known any more as flagged only', () => {
  expect(isLargelyFlagged([treatmentOf(['device-idle'], [], [])], latency)).toBe(false);
  expect(noticeOfFlagged([treatmentOf(['of-old'], [])], bytes)).toMatchObject({
    why: '1 of 2 runs is flagged.',
    counts: '1 of 2 runs counts for wire bytes per message.',
  });
});
