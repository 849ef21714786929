import type { Randomness } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { formatBytes, formatP, formatShare } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { type CipherTime, type PayloadResult, payloadOf } from '../models/payload-model.ts';
import styles from '../run-extras.module.css';

/** What encrypting and encoding payloads cost, what was refused, and how random ciphertexts look. */
export function PayloadPanel({ run }: { run: RunDetail }): ReactElement | null {
  const payload = useMemo(() => payloadOf(run), [run]);
  if (!payload) return null;
  return (
    <Panel title="Payload" subtitle={`${payload.cipher}, ${payload.encoding}`}>
      <div className={styles.padded}>
        <Facts facts={factsOf(payload)} />
      </div>
      {payload.times.length > 0 && (
        <DataTable
          label="Time per message"
          density="dense"
          columns={cipherTimeColumns}
          rows={payload.times}
          rowKey={(row) => row.label}
        />
      )}
      {payload.randomness.length > 0 && (
        <>
          <h3 className={styles.heading}>Randomness of the ciphertexts, NIST SP 800-22</h3>
          <DataTable
            label="Randomness of the ciphertexts"
            density="dense"
            columns={testColumns}
            rows={payload.randomness}
            rowKey={(row) => row.test}
          />
          <p className={styles.note}>
            A sound cipher passes about 99 % of its messages at this level, and so does many a broken one:
            this proves nothing about security.
          </p>
        </>
      )}
    </Panel>
  );
}

function factsOf({ plainBytes, sentBytes, refused }: PayloadResult): Fact[] {
  const bad = refused.filter(({ count }) => count > 0);
  return [
    {
      label: 'Size of a payload',
      value:
        sentBytes === null
          ? formatBytes(plainBytes)
          : `${formatBytes(plainBytes)} to ${formatBytes(Math.round(sentBytes))}, ×${formatNumber(sentBytes / plainBytes)}`,
    },
    {
      label: 'Refused on arrival',
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

const time = (head: string, read: (row: CipherTime) => number | null): Column<CipherTime> => ({
  id: head,
  head,
  unit: 'µs',
  numeric: true,
  cell: (row) => {
    const value = read(row);
    return value === null ? NO_VALUE : formatNumber(value);
  },
});

export const cipherTimeColumns: readonly Column<CipherTime>[] = [
  { id: 'what', head: 'Per message', cell: (row) => row.label },
  { id: 'messages', head: 'Messages', numeric: true, cell: (row) => formatCount(row.messages) },
  time('Mean', (row) => row.mean),
  time('P50', (row) => row.p50),
  time('P95', (row) => row.p95),
  time('P99', (row) => row.p99),
];

const testColumns: readonly Column<Randomness>[] = [
  { id: 'test', head: 'Test', cell: (row) => row.test },
  { id: 'messages', head: 'Messages', numeric: true, cell: (row) => formatCount(row.messages) },
  {
    id: 'passed',
    head: 'Pass, p ≥ 0.01',
    numeric: true,
    cell: (row) => (row.messages === 0 ? NO_VALUE : formatShare(row.passed / row.messages, 3)),
  },
  {
    id: 'mean',
    head: 'Mean p',
    numeric: true,
    cell: (row) => (row.meanP === null ? NO_VALUE : formatP(row.meanP)),
  },
];
