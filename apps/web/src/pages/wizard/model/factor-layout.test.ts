import { factors } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { expandTreatments } from '@mqttlab/shared/planning/expand-treatments';
import { makeDraft, makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { describeGroup, initiallyOpen, layOutFactors } from './factor-layout.ts';

const view = makeTestbedView(makeTestbed());

function layOut(chosen: Record<string, (string | number)[]>, change: Partial<{ showsExpert: boolean }> = {}) {
  const draft = makeDraft({ factors: chosen });
  return layOutFactors({
    draft,
    view,
    cells: expandTreatments(draft, view),
    opened: new Set(),
    showsExpert: false,
    ...change,
  });
}

const idsOf = (groups: ReturnType<typeof layOut>, place: 'open' | 'held' | 'hidden' | 'idle') =>
  groups.flatMap((group) => group[place].map((factor) => factor.id));

describe('layOutFactors', () => {
  it('shows every factor exactly once', () => {
    const groups = layOut({ security: ['plain', 'TLS 1.3'] });
    const all = (['open', 'held', 'hidden', 'idle'] as const).flatMap((place) => idsOf(groups, place));
    expect(all.sort()).toEqual(factors.map((factor) => factor.id).sort());
  });

  it('gives varied factors a row and constant factors a chip', () => {
    const groups = layOut({ security: ['plain', 'TLS 1.3'] });
    expect(idsOf(groups, 'open')).toEqual(['security']);
    expect(idsOf(groups, 'held')).toContain('qos');
  });

  it('lists factors without effect: there is no suite without TLS', () => {
    const groups = layOut({ security: ['plain'] });
    expect(idsOf(groups, 'idle')).toContain('cipherSuite');
    expect(idsOf(groups, 'held')).not.toContain('cipherSuite');
  });

  it('hides expert factors until they are requested or used', () => {
    const expert = factors.find((factor) => factor.audience === 'expert' && factor.options(view).length > 1);
    if (!expert) return expect(factors.every((factor) => factor.audience === 'everyone')).toBe(true);
    const security = ['TLS 1.2', 'TLS 1.3'];
    expect(idsOf(layOut({ security }), 'hidden')).toContain(expert.id);
    expect(idsOf(layOut({ security }, { showsExpert: true }), 'hidden')).toEqual([]);
    const other = expert.options(view).find((option) => option.value !== expert.defaultLevel(view));
    const used = layOut({ security, [expert.id]: [other?.value ?? ''] });
    expect(idsOf(used, 'hidden')).not.toContain(expert.id);
  });
});

describe('initiallyOpen', () => {
  it('opens varied factors and the security that the draft sets', () => {
    const draft = makeDraft({ factors: { security: ['TLS 1.3'], qos: [0, 1], link: ['lo'] } });
    expect([...initiallyOpen(draft, view)]).toEqual(['security', 'qos']);
  });
});

describe('describeGroup', () => {
  it('counts varied and constant factors', () => {
    const draft = makeDraft({ factors: { security: ['plain', 'TLS 1.3'] } });
    const [security] = layOut(draft.factors);
    expect(security && describeGroup(security, draft, view)).toMatch(/^1 varied, \d+ held constant$/);
  });
});
