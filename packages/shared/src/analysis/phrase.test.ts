import { describe, expect, it } from 'vitest';
import { findMetric } from '../catalogue/metrics.ts';
import { type Compared, nounOf, phraseOf, ratioText } from './phrase.ts';

const contrast: Compared = { scale: 'ratio', value: 1.05, lo: 1.03, hi: 1.07 };

function said(id: string): string {
  const metric = findMetric(id);
  if (!metric) throw new Error(id);
  const { verb, noun, size } = phraseOf(metric, [contrast]);
  return `${verb(size(contrast))} ${size(contrast)} ${noun}`.replaceAll('\u00a0', ' ');
}

describe('phraseOf', () => {
  it.each([
    ['latency.p50', 'has a 5 % [3, 7] higher median latency'],
    ['setUp.tls', 'has a 5 % [3, 7] longer TLS handshake'],
    ['setUp.bytes', 'has 5 % [3, 7] more set-up wire bytes'],
    ['cpu.publisher', 'uses 5 % [3, 7] more CPU at the publisher'],
    ['count.lost', 'has 5 % [3, 7] more lost messages'],
    ['batteryLife.broker', 'has a 5 % [3, 7] longer battery life at the broker'],
    ['rate.messages', 'has a 5 % [3, 7] higher message rate'],
  ])('puts a difference of %s into words', (id, text) => {
    expect(said(id)).toBe(text);
  });

  it.each([
    [1.08, 'has an 8'],
    [1.11, 'has an 11'],
    [1.18, 'has an 18'],
    [1.8, 'has an 80'],
    [1.05, 'has a 5'],
    [2.1, 'has a 110'],
    [2.18, 'has a 118'],
  ])('puts the right article before the size of a ratio of %s', (value, text) => {
    const { verb, size } = phraseOf(findMetric('latency.p50')!, [contrast]);
    const words = size({ ...contrast, value, lo: null, hi: null });
    expect(`${verb(words)} ${words}`).toContain(text);
  });

  it('writes differences that stand together in one unit', () => {
    const metric = findMetric('latency.p50')!;
    const small: Compared = { scale: 'difference', value: -0.12, lo: -0.8, hi: 0.56 };
    const large: Compared = { scale: 'difference', value: 0.4, lo: -0.9, hi: 1.6 };
    const { signed } = phraseOf(metric, [small, large]);
    expect([small, large].map(signed).join('; ').replaceAll('\u00a0', ' ')).toBe(
      '−0.1 ms [−0.8, 0.6]; +0.4 ms [−0.9, 1.6]',
    );
  });

  it('writes large ratios as times', () => {
    expect(ratioText({ value: 5.2, lo: 4.9, hi: 5.5 }).replaceAll('\u00a0', ' ')).toBe('×5.2 [4.9, 5.5]');
    expect(ratioText({ value: 0.958, lo: 0.94, hi: 0.97 }).replaceAll('\u00a0', ' ')).toBe(
      '−4.2 % [−6.0, −3.0]',
    );
    const { verb, size, isInTimes } = phraseOf(findMetric('latency.p50')!, [{ ...contrast, value: 5 }]);
    expect([
      verb('5'),
      isInTimes,
      size({ ...contrast, value: 5, lo: 4, hi: 6 }).replaceAll('\u00a0', ' '),
    ]).toEqual(['has', true, '5.0 times [4.0, 6.0]']);
  });

  it('names metrics as one says them', () => {
    expect(nounOf({ label: 'Latency, standard deviation' })).toBe('standard deviation of latency');
    expect(nounOf({ label: 'CPU, bridge' })).toBe('CPU at the bridge');
    expect(nounOf({ label: 'Bridge, verified', unit: 'messages' })).toBe('verified at the bridge');
  });
});
