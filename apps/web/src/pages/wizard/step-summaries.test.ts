import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makePlanSoFar } from './plan/plan-so-far.ts';
import { summariseStep } from './step-summaries.ts';
import { steps } from './steps.ts';

const testbed = { ...makeTestbed(), busyWith: null };
const draft = makeDraft();
const input = { draft, testbed, planning: makePlanSoFar(draft, testbed), preflight: null };

describe('summariseStep', () => {
  it.each([
    ['question', draft.question],
    ['testbed', 'This machine, 3 devices'],
    ['factors', '3 factors, 6 treatments'],
    ['workload', '1.0 s warm-up, 2.5 s measured'],
    ['repetitions', '3, random in block, seed 20261121'],
    ['preflight', 'probes 3 devices'],
  ] as const)('%s: %s', (step, words) => {
    expect(summariseStep(step, input)).toBe(words);
  });

  it('counts bridge and cloud broker where the draft has them', () => {
    const bridged = { ...draft, factors: { ...draft.factors, topology: ['direct', 're-encrypting bridge'] } };
    expect(summariseStep('preflight', { ...input, draft: bridged })).toBe('probes 5 devices');
  });

  it('says something for every step of an empty draft', () => {
    const empty = { ...draft, question: '', testbedId: 'gone', factors: {}, repetitions: 0 };
    const all = steps.map(({ id }) => summariseStep(id, { ...input, draft: empty }));
    expect(all.every((words) => words.length > 0)).toBe(true);
    expect(all[1]).toBe('not chosen yet');
  });
});
