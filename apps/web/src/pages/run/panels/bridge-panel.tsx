import type { BridgeCounters } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import { formatP } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo } from 'react';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { StatusLine } from '../../../ui/status.tsx';
import { type BridgeResult, bridgeOf } from '../models/bridge-model.ts';
import styles from './bridge-panel.module.css';
import { cipherTimeColumns } from './payload-panel.tsx';

/** The way of a message over a re-encrypting bridge, and what the bridge did with all of them. */
export function BridgePanel({ run }: { run: RunDetail }): ReactElement | null {
  const bridge = useMemo(() => bridgeOf(run), [run]);
  if (!bridge) return null;
  return (
    <Panel title="Re-encrypting bridge" subtitle="since its first connection, warm-up included">
      <Way bridge={bridge} />
      <div className={styles.facts}>
        <Facts facts={factsOf(bridge)} />
      </div>
      <DataTable
        label="What the bridge did"
        density="dense"
        columns={countColumns}
        rows={countsOf(bridge.counters)}
        rowKey={(row) => row.what}
      />
      {bridge.times.length > 0 && (
        <DataTable
          label="Time per message at the bridge"
          density="dense"
          columns={cipherTimeColumns}
          rows={bridge.times}
          rowKey={(row) => row.label}
        />
      )}
    </Panel>
  );
}

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
          <StatusLine kind="passed">held throughout</StatusLine>
        ) : (
          <StatusLine kind="warning">
            {`${restarts} restarts, ${localReconnects + cloudReconnects} reconnects, ${failovers} to another broker`}
          </StatusLine>
        ),
    },
    ...(randomness === null || randomness.meanP === null
      ? []
      : [
          { label: 'Approximate entropy of what it passed on', value: `mean p ${formatP(randomness.meanP)}` },
        ]),
  ];
}

interface Count {
  what: string;
  count: number;
}

function countsOf(counters: BridgeCounters): Count[] {
  const { received, verified, rejected, duplicates, reencrypted, forwarded, resent, pauses } = counters;
  return [
    { what: 'Received from the local broker', count: received },
    { what: 'Verified', count: verified },
    { what: 'Rejected', count: rejected },
    { what: 'Brought again by MQTT', count: duplicates },
    { what: 'Encrypted anew', count: reencrypted },
    { what: 'Taken by the cloud broker', count: forwarded },
    { what: 'Sent again', count: resent },
    { what: 'Pauses in reading, for the cloud to catch up', count: pauses },
  ];
}

const countColumns: readonly Column<Count>[] = [
  { id: 'what', head: 'Messages', cell: (row) => row.what },
  { id: 'count', head: 'Count', numeric: true, cell: (row) => formatCount(row.count) },
];
