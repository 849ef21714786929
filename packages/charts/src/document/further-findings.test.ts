import { metrics } from '@mqttlab/shared/catalogue/metrics';
import type { ReportResponse } from '@mqttlab/shared/domain/report/report';
import { expect, it } from 'vitest';
import { factOf, furtherFindings } from './further-findings.ts';

type Contrast = ReportResponse['contrasts'][number];
type Shape = Pick<Contrast, 'scale' | 'value' | 'lo' | 'hi'> & { inUnits?: number; mean?: number };

function responseOf(metric: string, shape: Shape, unit = 'B'): ReportResponse {
  const { mean = 10, inUnits = 1, ...contrast } = shape;
  return {
    metric,
    unit,
    estimates: [{ treatment: 'plain', mean }],
    contrasts: [{ treatment: 'tls', baseline: 'plain', outcome: 'resolved', inUnits, ...contrast }],
    findings: [{ kind: 'resolved', text: metric }],
  } as unknown as ReportResponse;
}

const ratio = (value: number, lo: number, hi: number) => ({ scale: 'ratio' as const, value, lo, hi });
const lead = responseOf('latency.p50', ratio(2, 1.5, 3));
const textsOf = (...others: ReportResponse[]) =>
  furtherFindings([lead, ...others]).findings.map(({ text }) => text);

it('lists the largest certain difference first, whatever its direction', () => {
  expect(
    textsOf(
      responseOf('wire.perMessage', ratio(1.3, 1.25, 1.35)),
      responseOf('setUp.total', ratio(0.2, 0.1, 0.4)),
      // Larger, but less certain.
      responseOf('cpu.broker', ratio(3, 1.02, 9)),
    ),
  ).toEqual(['setUp.total', 'wire.perMessage', 'cpu.broker']);
});

it('has a floor: small ratios and small shares are only counted', () => {
  const small = [
    responseOf('wire.perMessage', ratio(1.02, 1.004, 1.03)),
    responseOf('memoryShare.broker', { ...ratio(1.4, 1.3, 1.5), inUnits: 0.0068 }, '%'),
    responseOf('temperature.broker', { scale: 'difference', value: 0.2, lo: 0.1, hi: 0.3, mean: 50 }, '°C'),
  ];
  expect(furtherFindings([lead, ...small])).toEqual({ findings: [], others: 3 });
});

it('states a fact once: its largest difference, and never that of the response again', () => {
  expect(
    furtherFindings([
      lead,
      responseOf('latency.p50', ratio(9, 8, 10)),
      responseOf('cpu.broker', ratio(1.5, 1.4, 1.6)),
      responseOf('perf.instructions.broker', ratio(1.9, 1.8, 2)),
      responseOf('cpu.publisher', ratio(1.2, 1.1, 1.3)),
    ]),
  ).toMatchObject({ findings: [{ text: 'perf.instructions.broker' }, { text: 'cpu.publisher' }], others: 2 });
});

it('puts a difference from zero first', () => {
  expect(
    textsOf(
      responseOf('setUp.total', ratio(9, 8, 10)),
      responseOf('wire.retransmitted', { scale: 'difference', value: 4, lo: 2, hi: 6, mean: 0 }, 'packets'),
    ),
  ).toEqual(['wire.retransmitted', 'setUp.total']);
});

it('knows the device of every metric of a device', () => {
  const perDevice = metrics.filter(({ id }) =>
    /^(cpu|perf|memory|energy|power)\b.*\.(broker|publisher)/.test(id),
  );
  expect(perDevice.length).toBeGreaterThan(10);
  for (const { id } of perDevice) expect(factOf(id)).toMatch(/ (broker|publisher)$/);
});
