import { factors, findFactor } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import {
  addLevel,
  chipLabel,
  chipsOf,
  chooseInSection,
  foldChips,
  type LevelChip,
  parseLevel,
  quickPicksOf,
  sectionsOf,
  toggleLevel,
} from './level-choice.ts';

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
  it('keep a custom level, sorted by size', () => {
    const chips = chipsOf(factor('rate'), { factors: { rate: [250, 'max'] } }, view);
    expect(chips.map((chip) => chip.value)).toEqual([10, 100, 250, 1000, 10_000, 'max']);
    expect(chips.filter((chip) => chip.isChosen).map((chip) => chip.label)).toEqual([
      '250/s',
      'as fast as possible',
    ]);
  });

  it('keep impossible levels, with the reason', () => {
    const chips = chipsOf(factor('link'), { factors: { link: ['lo', 'wlan7'] } }, view);
    expect(chips.find((chip) => chip.value === 'wlan7')).toMatchObject({
      isChosen: true,
      refusal: { reason: "interface wlan7 on the broker's device is missing or down" },
    });
    expect(chipsOf(factor('rate'), { factors: { rate: [-4] } }, view)[0]).toMatchObject({
      value: -4,
      refusal: { reason: 'is not a level of this factor' },
    });
  });

  it('use a monospace font for machine-generated names', () => {
    const mono = (id: string) => chipsOf(factor(id), { factors: {} }, view).every((chip) => chip.isMono);
    expect(mono('cipherSuite')).toBe(true);
    expect(mono('group')).toBe(true);
    expect(mono('security')).toBe(false);
    expect(mono('qos')).toBe(false);
  });

  it('toggle in catalogue order and keep at least one', () => {
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

function parse(id: string, text: string, chosen: (string | number)[] = []) {
  const factor = findFactor(id);
  if (!factor) throw new Error(`no factor ${id}`);
  return parseLevel({ text, factor, chosen, view });
}

describe('parseLevel', () => {
  it.each([
    ['readingBytes', '512', 512],
    ['readingBytes', ' 10 240 ', 10_240],
    ['rate', '0.5', 0.5],
    ['rate', '1e4', 10_000],
  ])('takes %s "%s"', (id, text, value) => {
    expect(parse(id, text)).toEqual({ ok: true, value });
  });

  it.each([
    ['readingBytes', '', 'Nothing was entered.', 'Enter a number from 1 to 1,048,576 B.'],
    ['readingBytes', 'many', '“many” is not a number.', 'Enter a number from 1 to 1,048,576 B.'],
    ['readingBytes', '-5', '-5 is out of range.', 'Enter a number from 1 to 1,048,576 B.'],
    ['readingBytes', '1.5', '1.5 is not a whole number.', 'Enter a whole number from 1 to 1,048,576 B.'],
    ['readingBytes', '10,240', 'A comma is ambiguous.', 'Write decimals with a point'],
    ['rate', '1e9', '1e9 is out of range.', 'Enter a number from 0.01 to 200,000 /s.'],
    ['rate', 'Infinity', '“Infinity” is not a number.', 'Enter a number from 0.01 to 200,000 /s.'],
    ['security', '3', 'This factor does not accept numbers.', 'Choose one of its levels.'],
  ])('refuses %s "%s" with a remedy', (id, text, ...[what, remedy]) => {
    const parsed = parse(id, text);
    expect(parsed).toMatchObject({ ok: false, problem: { what } });
    expect(parsed.ok ? '' : parsed.problem.remedy).toContain(remedy);
  });

  it('rejects duplicate levels', () => {
    expect(parse('readingBytes', '256', [256])).toMatchObject({
      problem: { what: '256\u00a0B is already selected.' },
    });
  });

  it('asks the testbed', () => {
    const small = makeTestbed();
    const broker = small.devices[0]?.capabilities?.brokers[0];
    if (broker) broker.maximumPacketBytes = 1000;
    const factor = findFactor('readingBytes');
    if (!factor) throw new Error('no factor');
    expect(parseLevel({ text: '5000', factor, chosen: [], view: makeTestbedView(small) })).toMatchObject({
      ok: false,
      problem: { remedy: 'Make readings smaller or put fewer readings in each message.' },
    });
  });
});

const sectionChip = (value: string, change: Partial<LevelChip> = {}): LevelChip => ({
  value,
  label: value,
  isMono: true,
  isChosen: false,
  refusal: null,
  section: 'TLS 1.2',
  caution: null,
  ...change,
});
const chips = [
  sectionChip('new', { section: 'TLS 1.3', isChosen: true }),
  sectionChip('good'),
  sectionChip('fine'),
  sectionChip('old', { caution: 'It is old.' }),
  sectionChip('gone', { refusal: { reason: 'no', remedy: '' } }),
];
const section = (name: string) => {
  const found = sectionsOf(chips)?.find((one) => one.name === name);
  if (!found) throw new Error(`no section ${name}`);
  return found;
};

describe('sectionsOf', () => {
  it('leaves factors without sections alone', () => {
    expect(sectionsOf([sectionChip('a', { section: null })])).toBeNull();
  });

  it('distinguishes possible from insecure levels', () => {
    expect(section('TLS 1.2')).toMatchObject({
      chosen: 0,
      possible: ['good', 'fine', 'old'],
      sound: ['good', 'fine'],
    });
  });
});

describe('chooseInSection', () => {
  it('does not change other sections', () => {
    expect(chooseInSection(chips, section('TLS 1.2'), ['good', 'old'])).toEqual(['new', 'good', 'old']);
  });

  it('does not remove the last level', () => {
    expect(chooseInSection(chips, section('TLS 1.3'), [])).toBeNull();
  });
});

describe('quickPicksOf', () => {
  it('offers all, all secure ones, and none if something is selected', () => {
    expect(quickPicksOf(section('TLS 1.2')).map(({ label }) => label)).toEqual(['all 3', '2 secure ones']);
    const chosen = sectionsOf(chips.map((one) => ({ ...one, isChosen: true })))?.[1];
    expect(chosen && quickPicksOf(chosen).at(-1)?.label).toBe('none');
    expect(quickPicksOf(section('TLS 1.3'))).toEqual([]);
  });
});

const chip = (value: string, change: Partial<LevelChip> = {}): LevelChip => ({
  value,
  label: value,
  isMono: false,
  isChosen: false,
  refusal: null,
  section: null,
  caution: null,
  ...change,
});
const refusal = { reason: 'no', remedy: '' };
const many = Array.from({ length: 20 }, (_, i) =>
  chip(`s${i}`, { isChosen: i === 12, refusal: i < 5 ? refusal : null }),
);

describe('foldChips', () => {
  it('shows short lists completely, with impossible levels last', () => {
    const { shown, folded } = foldChips([chip('a', { refusal }), chip('b')], false);
    expect(shown.map(({ label }) => label)).toEqual(['b', 'a']);
    expect(folded).toBe(0);
  });

  it('never hides selected levels', () => {
    const { shown, folded } = foldChips(many, false);
    expect(shown.map(({ label }) => label)).toEqual(['s5', 's6', 's7', 's12', 's0', 's1']);
    expect(folded).toBe(14);
  });

  it('collapses many selected levels, but never one that must be removed', () => {
    const all = many.map((one) => ({ ...one, isChosen: true }));
    const { shown } = foldChips(all, false);
    expect(shown.filter((one) => !one.refusal).length).toBe(8);
    expect(shown.filter((one) => one.refusal).length).toBe(5);
  });

  it('expands to all levels', () => {
    expect(foldChips(many, true).shown.length).toBe(20);
  });
});
