import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { resultOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { enoughFor } from '@mqttlab/shared/catalogue/metrics/latency';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Counters, HistogramJson, Randomness } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { formatBytes, formatP, formatShare } from '@mqttlab/shared/format/quantity';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import styles from './panels.module.css';
import { makeTablePanel, panelTable } from './run-table.tsx';

function factsOf({ plainBytes, sentBytes, refused }: PayloadResult): Fact[] {
  const bad = refused.filter(({ count }) => count > 0);
  return [
    {
      label: 'Payload size',
      value:
        sentBytes === null
          ? formatBytes(plainBytes)
          : `${formatBytes(plainBytes)} to ${formatBytes(Math.round(sentBytes))}, ×${formatNumber(sentBytes / plainBytes)}`,
    },
    {
      label: 'Rejected on arrival',
      value:
        bad.length === 0 ? (
          <StatusLine kind="passed">none</StatusLine>
        ) : (
          <StatusLine kind="warning">
            {bad.map(({ label, count }) => `${formatCount(count)} ${label}`).join(', ')}
          </StatusLine>
        ),
    },
  ];
}

const us = { unit: 'µs' };

export const cipherTimeColumns: readonly Column<CipherTime>[] = [
  wordColumn('Per message', (row) => row.label),
  figureColumn('Messages', (row) => row.messages, { format: formatCount }),
  figureColumn('Mean', (row) => row.mean, us),
  figureColumn('P50', (row) => row.p50, us),
  figureColumn('P95', (row) => row.p95, us),
  figureColumn('P99', (row) => row.p99, us),
];

const testColumns: readonly Column<Randomness>[] = [
  wordColumn('Test', (row) => row.test),
  figureColumn('Messages', (row) => row.messages, { format: formatCount }),
  figureColumn('Pass, p ≥ 0.01', ({ messages, passed }) => (messages === 0 ? null : passed / messages), {
    format: (share) => formatShare(share, 3),
  }),
  figureColumn('Mean p', (row) => row.meanP, { format: formatP }),
];

/** Cost of payload encryption and encoding, rejected payloads, and randomness of ciphertexts. */
export const PayloadPanel = makeTablePanel({
  title: 'Payload',
  subtitle: (_run, { cipher, encoding }) => `${cipher}, ${encoding}`,
  read: payloadOf,
  above: (payload) => (
    <div className={styles.padded}>
      <Facts facts={factsOf(payload)} />
    </div>
  ),
  tables: [
    panelTable({
      label: 'Time per message',
      rows: ({ times }: PayloadResult) => times,
      columns: cipherTimeColumns,
      rowKey: ({ label }) => label,
    }),
    panelTable({
      label: 'Randomness of the ciphertexts',
      heading: 'Randomness of the ciphertexts, NIST SP 800-22',
      rows: ({ randomness }: PayloadResult) => randomness,
      columns: testColumns,
      rowKey: ({ test }) => test,
      note: 'At this level, a secure cipher passes for about 99 % of its messages, but so do many insecure ciphers. The test does not prove security.',
    }),
  ],
});

type PayloadResult = NonNullable<ReturnType<typeof payloadOf>>;
type CipherTime = ReturnType<typeof timeOf>[number];

const refusals: readonly { counter: keyof Counters; label: string }[] = [
  { counter: 'unauthentic', label: 'not authentic' },
  { counter: 'replayed', label: 'replayed' },
  { counter: 'malformed', label: 'malformed' },
];

/** Returns the results of a run's payload cipher and encoding; null if payloads were sent unchanged. */
export function payloadOf(run: Pick<RunDetail, 'results' | 'treatment'>) {
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
    /** Bytes of one payload before and after encryption and encoding; null if nothing was sent. */
    plainBytes: payloadBytesOf(spec),
    sentBytes: sent > 0 && carriedBytesSent > 0 ? carriedBytesSent / sent : null,
    refused: refusals.map(({ counter, label }) => ({
      label,
      count: (subscriber?.counters?.[counter] ?? 0) + (bridge?.counters?.[counter] ?? 0),
    })),
    randomness: publisher?.randomness ?? [],
  };
}

/** Returns times in µs; empty if nothing was timed. */
export function timeOf(label: string, json: HistogramJson | undefined) {
  if (!json || json.count === 0) return [];
  const histogram = LatencyHistogram.fromJson(json);
  const { count: messages } = histogram;
  const at = (percent: number) => histogram.percentile(percent) ?? 0;
  const ifEnough = (percent: number) => (messages >= enoughFor(percent) ? at(percent) : null);
  const mean = histogram.meanUs ?? 0;
  return [{ label, messages, mean, p50: at(50), p95: ifEnough(95), p99: ifEnough(99) }];
}
