import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { resultOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { cloudCipher, isBridged } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { BridgeCounters, BrokerStatus } from '@mqttlab/shared/domain/runs/bridge-counters';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount, formatFixed } from '@mqttlab/shared/format/number';
import { formatP } from '@mqttlab/shared/format/quantity';
import type { ReactElement } from 'react';
import { figureColumn, wordColumn } from '../../../ui/columns.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import styles from './panels.module.css';
import { cipherTimeColumns, timeOf } from './payload-panel.tsx';
import { makeTablePanel, panelTable } from './run-table.tsx';

function Way({ bridge: { stations, hops } }: { bridge: BridgeResult }): ReactElement {
  return (
    <ol className={styles.way} aria-label="Topology">
      {stations.map(({ name, device }, i) => {
        const hop = hops[i];
        return (
          <li key={name} className={styles.stop}>
            <span className={styles.station}>
              <strong>{name}</strong>
              <span className="mono">{device}</span>
            </span>
            {hop && (
              <span className={styles.hop}>
                <span>{hop.connection}</span>
                <span aria-hidden="true" className={styles.arrow} />
                <span>{hop.payload}</span>
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function factsOf({ counters, randomness }: BridgeResult): Fact[] {
  const { rejected, restarts, failovers, localReconnects, cloudReconnects } = counters;
  const breaks = localReconnects + cloudReconnects + restarts;
  return [
    {
      label: 'Rejected',
      value:
        rejected === 0 ? (
          <StatusLine kind="passed">none</StatusLine>
        ) : (
          <StatusLine kind="warning">{formatCount(rejected)} messages</StatusLine>
        ),
    },
    {
      label: 'Connections and process',
      value:
        breaks === 0 ? (
          <StatusLine kind="passed">uninterrupted</StatusLine>
        ) : (
          <StatusLine kind="warning">
            {`${restarts} restarts, ${localReconnects + cloudReconnects} reconnects, ${failovers} to another broker`}
          </StatusLine>
        ),
    },
    ...(randomness === null || randomness.meanP === null
      ? []
      : [
          {
            label: 'Approximate entropy of forwarded payloads',
            value: `mean p ${formatP(randomness.meanP)}`,
          },
        ]),
  ];
}

const countWords = {
  received: 'Received from the local broker',
  verified: 'Verified',
  rejected: 'Rejected',
  duplicates: 'Redelivered by MQTT',
  reencrypted: 'Re-encrypted',
  forwarded: 'Accepted by the cloud broker',
  resent: 'Sent again',
  pauses: 'Pauses in reading (backpressure from the cloud)',
} satisfies Partial<Record<keyof BridgeCounters, string>>;

const countColumns: readonly Column<{ what: string; count: number }>[] = [
  wordColumn('Messages', (row) => row.what),
  figureColumn('Count', (row) => row.count, { format: formatCount }),
];

function countsOf(counters: BridgeCounters) {
  return (Object.keys(countWords) as (keyof typeof countWords)[]).map((key) => ({
    what: countWords[key],
    count: counters[key],
  }));
}

const statusColumns: readonly Column<BrokerStatus>[] = [
  wordColumn('Heartbeats to', ({ leg, place }) =>
    leg === 'local' ? 'Local broker' : `Cloud broker ${place}`,
  ),
  figureColumn('Sent', ({ sent }) => sent, { format: formatCount }),
  figureColumn('Missed', ({ missed }) => missed, { format: formatCount }),
  figureColumn('Answer, median, ms', ({ medianAnswerUs: us }) => (us === null ? null : us / 1000)),
  wordColumn('State, s since the start of measuring', changesInWords),
];

/** Returns "connected −0.25, lost 1.20, connected 1.31". */
function changesInWords({ changes, changeCount }: BrokerStatus): string {
  if (changes.length === 0) return 'never contacted';
  const said = changes.map(({ atMs, state }) => `${state} ${formatFixed(atMs / 1000, 2)}`).join(', ');
  return changeCount > changes.length
    ? `${said} and ${formatCount(changeCount - changes.length)} more`
    : said;
}

/** Path of a message through a re-encrypting bridge, and the bridge's counters. */
export const BridgePanel = makeTablePanel({
  title: 'Re-encrypting bridge',
  subtitle: () => 'since its first connection, including warm-up',
  read: bridgeOf,
  above: (bridge) => (
    <>
      <Way bridge={bridge} />
      <div className={styles.facts}>
        <Facts facts={factsOf(bridge)} />
      </div>
    </>
  ),
  tables: [
    panelTable({
      label: 'Counters of the bridge',
      rows: ({ counters }: BridgeResult) => countsOf(counters),
      columns: countColumns,
      rowKey: ({ what }) => what,
    }),
    panelTable({
      label: 'Time per message at the bridge',
      rows: ({ times }: BridgeResult) => times,
      columns: cipherTimeColumns,
      rowKey: ({ label }) => label,
    }),
    panelTable({
      label: 'Brokers by heartbeat',
      rows: ({ status }: BridgeResult) => status,
      columns: statusColumns,
      rowKey: ({ leg, place }) => `${leg} ${place}`,
    }),
  ],
});

type BridgeResult = NonNullable<ReturnType<typeof bridgeOf>>;

const order = [
  ['publisher', 'Publisher'],
  ['broker', 'Local broker'],
  ['bridge', 'Bridge'],
  ['cloud-broker', 'Cloud broker'],
  ['subscriber', 'Subscriber'],
] as const;

/** Returns the results of a run's bridge; null if there was no bridge. */
function bridgeOf(run: Pick<RunDetail, 'results' | 'treatment'>) {
  const { spec } = run.treatment;
  const result = resultOf({ spec, results: run.results }, 'bridge');
  if (!isBridged(spec) || !result?.bridge) return null;
  const edge = { connection: connectionOf(spec), payload: cipherName(spec.payloadCipher) };
  const cloud = { connection: 'TLS 1.3', payload: cipherName(cloudCipher) };
  return {
    stations: order.map(([role, name]) => ({
      name,
      device: run.results.find((one) => one.role === role)?.device || role,
    })),
    /** Protection of the connection between two nodes, and of the payload on it. */
    hops: [edge, edge, cloud, cloud],
    counters: result.bridge,
    status: result.brokerStatus ?? [],
    times: [
      ...timeOf('Verify and decrypt', result.histograms.decryption),
      ...timeOf('Re-encrypt', result.histograms.encryption),
    ],
    randomness: result.randomness.find(({ test }) => test === 'approximate entropy') ?? null,
  };
}

function connectionOf({ security }: TrialSpec): string {
  return security === 'plain' ? 'plain TCP' : security;
}

function cipherName(id: string | null): string {
  return id === null ? 'in the clear' : (findPayloadCipherDefinition(id)?.label ?? id);
}
