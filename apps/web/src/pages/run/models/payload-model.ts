import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { resultOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Counters, Randomness } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

export interface CipherTime {
  label: string;
  messages: number;
  /** µs */
  mean: number;
  p50: number;
  p95: number | null;
  p99: number | null;
}

export interface PayloadResult {
  cipher: string;
  encoding: string;
  times: CipherTime[];
  /** Bytes of one payload before and after encryption and encoding; null where nothing was sent. */
  plainBytes: number;
  sentBytes: number | null;
  refused: { label: string; count: number }[];
  randomness: readonly Randomness[];
}

const refusals: readonly { counter: keyof Counters; label: string }[] = [
  { counter: 'unauthentic', label: 'not authentic' },
  { counter: 'replayed', label: 'replayed' },
  { counter: 'malformed', label: 'malformed' },
];

/** What the payload cipher and encoding of a Run did; null where payloads travelled as they were. */
export function payloadOf(run: Pick<RunDetail, 'results' | 'treatment'>): PayloadResult | null {
  const { spec } = run.treatment;
  if (spec.payloadCipher === null && spec.payloadEncoding === 'binary') return null;
  const evidence = { spec, results: run.results };
  const [publisher, subscriber] = [resultOf(evidence, 'publisher'), resultOf(evidence, 'subscriber')];
  const bridge = resultOf(evidence, 'bridge');
  const { sent = 0, carriedBytesSent = 0 } = publisher?.counters ?? {};
  const id = spec.payloadCipher;
  return {
    cipher: id === null ? 'none' : (findPayloadCipherDefinition(id)?.label ?? id),
    encoding: spec.payloadEncoding,
    times: [
      ...timeOf('Encryption', publisher?.histograms.encryption),
      ...timeOf('Decryption', subscriber?.histograms.decryption),
    ],
    plainBytes: payloadBytesOf(spec),
    sentBytes: sent > 0 && carriedBytesSent > 0 ? carriedBytesSent / sent : null,
    refused: refusals.map(({ counter, label }) => ({
      label,
      count: (subscriber?.counters?.[counter] ?? 0) + (bridge?.counters?.[counter] ?? 0),
    })),
    randomness: publisher?.randomness ?? [],
  };
}

/** None where nothing was timed. */
export function timeOf(
  label: string,
  json: Parameters<typeof LatencyHistogram.fromJson>[0] | undefined,
): CipherTime[] {
  if (!json) return [];
  const histogram = LatencyHistogram.fromJson(json);
  const { count } = histogram;
  if (count === 0) return [];
  const at = (percent: number) => histogram.percentile(percent) ?? 0;
  const ifEnough = (percent: number) => (count >= enoughFor(percent) ? at(percent) : null);
  return [
    {
      label,
      messages: count,
      mean: histogram.meanUs ?? 0,
      p50: at(50),
      p95: ifEnough(95),
      p99: ifEnough(99),
    },
  ];
}
