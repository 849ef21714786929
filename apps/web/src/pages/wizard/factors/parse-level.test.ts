import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { makeTestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { parseLevel } from './parse-level.ts';

const view = makeTestbedView(makeTestbed());

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
    ['readingBytes', '', 'Nothing was typed.', 'Write a number from 1 to 1,048,576 B.'],
    ['readingBytes', 'many', '“many” is not a number.', 'Write a number from 1 to 1,048,576 B.'],
    ['readingBytes', '-5', '-5 is out of range.', 'Write a number from 1 to 1,048,576 B.'],
    ['readingBytes', '1.5', '1.5 is not a whole number.', 'Write a whole number from 1 to 1,048,576 B.'],
    ['readingBytes', '10,240', 'A comma can mean two things.', 'Write decimals with a point'],
    ['rate', '1e9', '1e9 is out of range.', 'Write a number from 0.01 to 200,000 /s.'],
    ['rate', 'Infinity', '“Infinity” is not a number.', 'Write a number from 0.01 to 200,000 /s.'],
    ['security', '3', 'This factor takes no numbers.', 'Choose one of its levels.'],
  ])('refuses %s "%s" with a remedy', (id, text, ...[what, remedy]) => {
    const parsed = parse(id, text);
    expect(parsed).toMatchObject({ ok: false, problem: { what } });
    expect(parsed.ok ? '' : parsed.problem.remedy).toContain(remedy);
  });

  it('refuses a level twice', () => {
    expect(parse('readingBytes', '256', [256])).toMatchObject({
      problem: { what: '256\u00a0B is chosen already.' },
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
      problem: { remedy: 'Make readings smaller or put fewer into a message.' },
    });
  });
});
