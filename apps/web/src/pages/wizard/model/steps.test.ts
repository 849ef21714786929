import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makePlanSoFar } from './plan-forecast.ts';
import {
  capitalise,
  findStep,
  issueOfField,
  issuesOfStep,
  stepIndex,
  stepOfIssue,
  steps,
  summariseStep,
} from './steps.ts';

describe('steps', () => {
  it('maps every field of a draft to a step', () => {
    const fields = Object.keys(experimentDraftSchema.shape).filter((field) => field !== 'schemaVersion');
    expect(fields.filter((field) => stepOfIssue({ field }) === 'review')).toEqual([]);
  });

  it.each([
    ['factors.rate[1]', 'factors'],
    ['factors', 'factors'],
    ['workload.measureMs', 'workload'],
    ['tags[0]', 'question'],
    ['schemaVersion', 'review'],
  ])('sends %s to %s', (field, step) => {
    expect(stepOfIssue({ field })).toBe(step);
  });

  it('opens at the first step when the address names none', () => {
    expect(findStep(undefined)).toBe('question');
    expect(findStep('nonsense')).toBe('question');
    expect(stepIndex(findStep('review'))).toBe(6);
  });

  it.each([
    ['too small', 'Too small'],
    ['ffdhe2048 needs TLS 1.3', 'ffdhe2048 needs TLS 1.3'],
    ['a client does not support it', 'A client does not support it'],
    ["the broker's library does not support it", "The broker's library does not support it"],
    ['set-up', 'set-up'],
  ])('begins a sentence with %s', (text, begun) => {
    expect(capitalise(text)).toBe(begun);
  });

  it('finds the issues of a step and of a field', () => {
    const issue = { field: 'repetitions', reason: 'too small', remedy: 'Choose 1 to 1000.' };
    expect(issuesOfStep([issue], 'repetitions')).toEqual([issue]);
    expect(issuesOfStep([issue], 'workload')).toEqual([]);
    expect(issueOfField([issue], 'repetitions')).toEqual({ what: 'Too small.', remedy: 'Choose 1 to 1000.' });
    expect(issueOfField([issue], 'seed')).toBeUndefined();
  });
});

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

  it('counts bridge and cloud broker if the draft has them', () => {
    const bridged = { ...draft, factors: { ...draft.factors, topology: ['direct', 're-encrypting bridge'] } };
    expect(summariseStep('preflight', { ...input, draft: bridged })).toBe('probes 5 devices');
  });

  it('has a summary for every step of an empty draft', () => {
    const empty = { ...draft, question: '', testbedId: 'gone', factors: {}, repetitions: 0 };
    const all = steps.map(({ id }) => summariseStep(id, { ...input, draft: empty }));
    expect(all.every((words) => words.length > 0)).toBe(true);
    expect(all[1]).toBe('not chosen yet');
  });
});
