import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { verdicts } from '@mqttlab/shared/catalogue/verdicts';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { inSentence } from '@mqttlab/shared/format/unit';
import { expect, it } from 'vitest';
import { describeNotDrawn, whyNotDrawn } from './not-drawn.ts';

const metric = findMetric('latency.p50');
if (!metric) throw new Error('there is a latency');
const affecting = verdicts.filter(({ matters }) => matters === undefined || matters(metric));
const [rare, common] = affecting;
if (!rare || !common) throw new Error('several verdicts affect a latency');

type Run = ComparedTreatment['runs'][number];

function entryOf(...runs: Partial<Run>[]): ComparedTreatment {
  const made = runs.map((run, i) => ({ runId: i, block: i + 1, flagged: false, metrics: {}, ...run }));
  return { runs: made } as unknown as ComparedTreatment;
}

const measured = { metrics: { 'latency.p50': 1 } };
const flaggedBy = (...failed: string[]) => ({ ...measured, flagged: true, failed });

it('explains why a treatment has no value', () => {
  const why = (entry: ComparedTreatment, flagged = false) => whyNotDrawn(entry, { metric, flagged });
  expect(why(entryOf(measured, flaggedBy(common.id)))).toBeNull();
  expect(why(entryOf())).toBe('without a finished run');
  expect(why(entryOf({}))).toBe('not measured');
  const all = entryOf(flaggedBy(rare.id), flaggedBy(common.id), flaggedBy(common.id));
  expect(why(all)).toBe(`flagged: ${inSentence(common.fault)}`);
  expect(why(all, true)).toBeNull();
});

it('counts what is not drawn by reason, the most frequent first', () => {
  expect(describeNotDrawn([null, null])).toBe('');
  expect(describeNotDrawn([null, 'not measured', 'flagged', 'flagged'])).toBe(
    'Not drawn: 3 of 4 treatments (2 flagged; 1 not measured).',
  );
  expect(describeNotDrawn(['not measured'], 'run')).toBe('Not drawn: 1 of 1 run (1 not measured).');
});
