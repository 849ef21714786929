import { draftTag, isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import { makeDraft } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { changedFields } from './use-draft.ts';

describe('two drafts', () => {
  it('differ in these fields, in words', () => {
    const a = makeDraft();
    const b = makeDraft({ seed: 1, sampleHz: 1, factors: { ...a.factors, qos: [2], group: ['P-256'] } });
    expect(changedFields(a, b)).toEqual(['sample rate', 'seed', 'qos', 'key exchange']);
    expect(changedFields(a, a)).toEqual([]);
  });

  it('are the same in whatever order their fields stand', () => {
    const a = makeDraft();
    const reordered = Object.fromEntries(Object.entries(a).reverse()) as typeof a;
    expect(isSameDraft(a, reordered)).toBe(true);
    expect(draftTag(reordered)).toBe(draftTag(a));
    expect(draftTag(makeDraft({ seed: 1 }))).not.toBe(draftTag(a));
    expect(isSameDraft(a, { ...a, factors: { ...a.factors, qos: [1, 0] } })).toBe(false);
  });
});
