import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { addLevel, chipLabel, chipsOf, toggleLevel } from './level-choice.ts';

const view = makeTestbedView(makeTestbed());

function factor(id: string) {
  const found = findFactor(id);
  if (!found) throw new Error(`no factor ${id}`);
  return found;
}

describe('chips of every factor', () => {
  it.each(factors.map((each) => [each.id, each] as const))(
    '%s has its default among them, chosen',
    (_id, each) => {
      const chips = chipsOf(each, { factors: {} }, view);
      expect(chips.filter((chip) => chip.isChosen).map((chip) => chip.value)).toEqual([
        each.defaultLevel(view),
      ]);
      expect(new Set(chips.map((chip) => chip.label)).size).toBe(chips.length);
    },
  );
});

describe('chips', () => {
  it('keep a level of one’s own, at its place by size', () => {
    const chips = chipsOf(factor('rate'), { factors: { rate: [250, 'max'] } }, view);
    expect(chips.map((chip) => chip.value)).toEqual([10, 100, 250, 1000, 10_000, 'max']);
    expect(chips.filter((chip) => chip.isChosen).map((chip) => chip.label)).toEqual([
      '250/s',
      'as fast as possible',
    ]);
  });

  it('keep what cannot be, with its reason', () => {
    const chips = chipsOf(factor('link'), { factors: { link: ['lo', 'wlan7'] } }, view);
    expect(chips.find((chip) => chip.value === 'wlan7')).toMatchObject({
      isChosen: true,
      refusal: { reason: "the broker's device has no interface wlan7 that is up" },
    });
    expect(chipsOf(factor('rate'), { factors: { rate: [-4] } }, view)[0]).toMatchObject({
      value: -4,
      refusal: { reason: 'is not a level of this factor' },
    });
  });

  it('are written in mono where a machine gave the name', () => {
    const mono = (id: string) => chipsOf(factor(id), { factors: {} }, view).every((chip) => chip.isMono);
    expect(mono('cipherSuite')).toBe(true);
    expect(mono('group')).toBe(true);
    expect(mono('security')).toBe(false);
    expect(mono('qos')).toBe(false);
  });

  it('toggle in catalogue order and never leave nothing', () => {
    const chips = chipsOf(factor('qos'), { factors: { qos: [1] } }, view);
    expect(toggleLevel(chips, 0)).toEqual([0, 1]);
    expect(toggleLevel(chips, 1)).toBeNull();
  });

  it('add numbers by size, words after them', () => {
    expect(addLevel(factor('rate'), [1000, 'max'], 50)).toEqual([50, 1000, 'max']);
  });

  it.each([
    ['readingBytes', 10_240, '10,240\u00a0B'],
    ['rate', 0.25, '0.25/s'],
    ['publishers', 5, '5'],
    ['qos', 1, 'QoS 1'],
  ])('%s %s reads %s', (id, value, label) => {
    expect(chipLabel(factor(id), value)).toBe(label);
  });
});
