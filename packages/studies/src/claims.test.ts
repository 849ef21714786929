import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { describe, expect, it } from 'vitest';
import { boardWords, countAnswers, makeBoard, type PartState } from './claims/board.ts';
import { findStudy, studies } from './studies.ts';
import type { PublishedStudy } from './study.ts';
import { publishedLines } from './testing/published-lines.ts';
import { makeStabilityTestbed } from './testing/stability-report.ts';
import { makeStudyInput } from './testing/study-input.ts';

type Treatment = ComparedTreatment['treatment'];
type Metrics = Record<string, number | null>;
type Measuring = (treatment: Treatment, block: number) => Metrics;

const every = studies.flatMap((study) => study.claims.map((claim) => [claim.id, study, claim] as const));

function inputOf(study: PublishedStudy, partId: string, measuring: Measuring) {
  const testbed = study.id === 'stability-aware' ? { testbed: makeStabilityTestbed() } : {};
  return makeStudyInput({ studyId: study.id, partId }, measuring, { scale: 'bench', ...testbed });
}

function boardOf(
  id: string,
  measuring: Measuring,
  change: (state: ReturnType<typeof inputOf>) => PartState = (state) => state,
) {
  const study = findStudy(id);
  if (!study) throw new Error('no such study');
  return makeBoard(study, (partId) => change(inputOf(study, partId, measuring)));
}

/** Equal values of every metric in all treatments, slightly increasing by repetition. */
const alike: Measuring = (_, block) =>
  Object.fromEntries(metrics.map(({ id, quantity }) => [id, quantity === 'proportion' ? 0.5 : 100 + block]));

describe('every claim', () => {
  it('exists once; there are 54 in total', () => {
    expect(every).toHaveLength(54);
    expect(new Set(every.map(([id]) => id)).size).toBe(54);
    expect(studies.map(({ claims }) => claims.length)).toEqual([12, 11, 6, 13, 12]);
  });

  it.each(every)(
    '%s names words at its line, and a part of its study',
    (_id, study, { line, printed, part }) => {
      expect(printed.length).toBeGreaterThan(0);
      for (const words of printed) expect(publishedLines[study.id]?.[line]).toContain(words);
      expect(study.parts.map(({ id }) => id)).toContain(part);
    },
  );

  it.each(studies.map((study) => [study.id, study] as const))(
    'of %s has an answer or a reason',
    (id, study) => {
      const board = boardOf(id, alike);
      expect(board.claims.map((claim) => claim.id)).toEqual(study.claims.map((claim) => claim.id));
      for (const { answer, sentence, missing, lines } of board.claims) {
        expect(sentence).not.toBe('');
        expect(sentence).not.toMatch(/NaN|undefined|Infinity/);
        if (answer === 'agrees' || answer === 'differs') expect(missing).toBeNull();
        // The sentence never claims more than its lines.
        const sides = new Set(lines.map(({ side }) => side));
        if (answer === 'agrees') expect([...sides]).toContain('claimed');
        if (answer === 'differs') expect([...sides]).toContain('other');
      }
    },
  );

  it.each(studies.map((study) => [study.id] as const))(
    'of %s is open without three runs a side, and the board names the part',
    (id) => {
      const board = boardOf(id, alike, (state) =>
        'missing' in state
          ? state
          : { ...state, treatments: state.treatments.map((one) => ({ ...one, runs: one.runs.slice(0, 2) })) },
      );
      const tests = new Map(every.map(([claim, , { test }]) => [claim, test.kind]));
      for (const { id: claim, answer } of board.claims) {
        if (tests.get(claim) !== 'count') expect(['open', 'not testable']).toContain(answer);
      }
      expect(board.missing.length).toBeGreaterThan(0);
      const missing = makeBoard(findStudy(id) as PublishedStudy, () => ({ missing: 'its part was not run' }));
      expect(countAnswers(missing).agrees + countAnswers(missing).differs).toBe(0);
      expect(boardWords(missing)).toContain('0 agree, 0 differ');
    },
  );
});
