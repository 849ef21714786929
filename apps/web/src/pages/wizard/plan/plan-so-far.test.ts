import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { makePlanSoFar, multipliersOf } from './plan-so-far.ts';

describe('makePlanSoFar', () => {
  it('counts the tour: 3 securities x 2 QoS x 3 repetitions', () => {
    const soFar = makePlanSoFar(makeDraft(), makeTestbed());
    expect(soFar).toMatchObject({ issues: [], treatments: 6, repetitions: 3, runs: 18, excluded: 0 });
    expect(multipliersOf(soFar)).toEqual([
      { label: 'Security', count: 3 },
      { label: 'QoS', count: 2 },
    ]);
  });

  it('counts and plans without a name, and still asks for one', () => {
    const soFar = makePlanSoFar(makeDraft({ name: ' ' }), makeTestbed());
    expect(soFar.plan?.trials.length).toBe(18);
    expect(soFar.issues.map((issue) => issue.field)).toEqual(['name']);
  });

  it('counts treatments while repetitions make no sense', () => {
    const soFar = makePlanSoFar(makeDraft({ repetitions: 0 }), makeTestbed());
    expect(soFar).toMatchObject({ plan: null, treatments: 6, runs: 0 });
    expect(soFar.issues.map((issue) => issue.field)).toEqual(['repetitions']);
  });

  it('keeps impossible combinations in the count', () => {
    const draft = makeDraft({
      factors: { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] },
    });
    expect(makePlanSoFar(draft, makeTestbed())).toMatchObject({ treatments: 1, excluded: 1 });
  });

  it('does not list more combinations than planning allows', () => {
    const many = Array.from({ length: 200 }, (_, i) => i + 1);
    const draft = makeDraft({ factors: { readingBytes: many, rate: many } });
    const soFar = makePlanSoFar(draft, makeTestbed());
    expect(soFar).toMatchObject({ combinations: 40_000, cells: [], plan: null });
    expect(soFar.issues[0]?.field).toBe('factors');
  });

  it('says nothing of a product that does not come out', () => {
    const draft = makeDraft({ factors: { rate: [100, 10_000], publishers: [1, 500] } });
    expect(multipliersOf(makePlanSoFar(draft, makeTestbed()))).toEqual([]);
  });
});
