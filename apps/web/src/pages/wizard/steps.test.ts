import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import { describe, expect, it } from 'vitest';
import { capitalise, findStep, issueOfField, issuesOfStep, stepIndex, stepOfIssue } from './steps.ts';

describe('steps', () => {
  it('knows where every field of a draft is mended', () => {
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
    ['a client lacks it', 'A client lacks it'],
    ["the broker's library lacks it", "The broker's library lacks it"],
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
