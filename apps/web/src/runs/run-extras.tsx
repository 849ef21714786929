import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { ReactElement } from 'react';
import { BridgePanel } from './bridge-panel.tsx';
import { ClocksPanel } from './clocks-panel.tsx';
import { connectionsOf } from './connections-model.ts';
import { ConnectionsPanel } from './connections-panel.tsx';
import { CoresPanel } from './cores-panel.tsx';
import { EnergyPanel } from './energy-panel.tsx';
import { ImpairmentPanel } from './impairment-panel.tsx';
import { payloadOf } from './payload-model.ts';
import { PayloadPanel } from './payload-panel.tsx';
import { PerfPanel } from './perf-panel.tsx';
import styles from './run-extras.module.css';
import { StatesPanel } from './states-panel.tsx';

/** What only some runs have: each panel is there when its data is. Two columns that fill one after the other. */
export function RunExtras({ run }: { run: RunDetail }): ReactElement {
  const small = (
    <>
      <PerfPanel run={run} />
      <ClocksPanel run={run} />
    </>
  );
  // In the order that evens out the columns.
  const hasFirst = connectionsOf(run).length > 0 || payloadOf(run) !== null;
  return (
    <div className={styles.extras}>
      <ImpairmentPanel run={run} />
      <BridgePanel run={run} />
      <ConnectionsPanel run={run} />
      <StatesPanel run={run} />
      <PayloadPanel run={run} />
      {hasFirst && <CoresPanel run={run} />}
      <EnergyPanel run={run} />
      {!hasFirst && <CoresPanel run={run} />}
      {small}
    </div>
  );
}
