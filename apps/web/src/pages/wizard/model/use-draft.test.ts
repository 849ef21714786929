import { draftTag, isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import { makeDraft } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { askedAs, changedFields, nameOf } from './use-draft.ts';

describe('two drafts', () => {
  it('differ in these named fields', () => {
    const a = makeDraft();
    const b = makeDraft({ seed: 1, sampleHz: 1, factors: { ...a.factors, qos: [2], group: ['P-256'] } });
    expect(changedFields(a, b)).toEqual(['sample rate', 'seed', 'qos', 'key exchange']);
    expect(changedFields(a, a)).toEqual([]);
    const longer = { ...a, workload: { ...a.workload, measureMs: a.workload.measureMs + 1 } };
    expect(changedFields(a, longer)).toEqual(['workload: measure']);
  });

  it('are equal regardless of field order', () => {
    const a = makeDraft();
    const reordered = Object.fromEntries(Object.entries(a).reverse()) as typeof a;
    expect(isSameDraft(a, reordered)).toBe(true);
    expect(draftTag(reordered)).toBe(draftTag(a));
    expect(draftTag(makeDraft({ seed: 1 }))).not.toBe(draftTag(a));
    expect(isSameDraft(a, { ...a, factors: { ...a.factors, qos: [1, 0] } })).toBe(false);
  });
});

describe('the name of an experiment', () => {
  it('is derived from the question until the user types one', () => {
    const draft = makeDraft({ name: '', question: '' });
    const asked = { ...draft, ...askedAs(draft, 'Does TLS 1.3 cost latency? On Wi-Fi too.') };
    expect(asked.name).toBe('Does TLS 1.3 cost latency');
    expect(askedAs(asked, 'Does QoS 2 cost more?').name).toBe('Does QoS 2 cost more');
    expect(askedAs({ ...asked, name: 'Wi-Fi' }, 'Does QoS 2?')).toEqual({ question: 'Does QoS 2?' });
    expect(askedAs({ ...asked, name: ' ' }, 'Again?').name).toBe('Again');
  });

  it('keeps whole words of a long question', () => {
    expect(nameOf('How much longer does a message take under TLS 1.3 with ChaCha20 than without?')).toBe(
      'How much longer does a message take under TLS 1.3 with…',
    );
    expect(nameOf('\n Why\nthis?')).toBe('Why');
    expect(nameOf(' ')).toBe('');
  });
});
