import { describe, expect, it } from 'vitest';
import { findMetric } from '../../catalogue/metrics.ts';
import type { ReportContrast } from '../../domain/report.ts';
import { nounOf, phraseOf } from './phrase.ts';

const contrast: ReportContrast = {
  treatment: 'b',
  baseline: 'a',
  difference: 0.05,
  lo: 0.03,
  hi: 0.07,
  percent: 5,
  percentLo: 3,
  percentHi: 7,
  cohensD: 2,
  hedgesG: 2,
  gLo: 1,
  gHi: 3,
  cliffsDelta: 1,
  p: 0.01,
  method: 'Welch',
  runs: 5,
  note: null,
};

function said(id: string): string {
  const metric = findMetric(id);
  if (!metric) throw new Error(id);
  const { verb, noun, size } = phraseOf(metric, [contrast]);
  return `${verb} ${size(contrast)} ${noun}`.replaceAll('\u00a0', ' ');
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

  it('writes differences that stand together in one unit', () => {
    const metric = findMetric('latency.p50')!;
    const small = { difference: -0.12, lo: -0.8, hi: 0.56 };
    const large = { difference: 0.4, lo: -0.9, hi: 1.6 };
    const { signed } = phraseOf(metric, [], [small, large]);
    expect([small, large].map(signed).join('; ').replaceAll('\u00a0', ' ')).toBe(
      '−0.1 ms [−0.8, 0.6]; +0.4 ms [−0.9, 1.6]',
    );
  });

  it('names metrics as one says them', () => {
    expect(nounOf({ label: 'Latency, standard deviation' })).toBe('standard deviation of latency');
    expect(nounOf({ label: 'CPU, bridge' })).toBe('CPU at the bridge');
    expect(nounOf({ label: 'Bridge, verified', unit: 'messages' })).toBe('verified at the bridge');
  });
});
