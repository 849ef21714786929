import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { ReactElement } from 'react';
import { connectionsOf } from './models/connections-model.ts';
import { payloadOf } from './models/payload-model.ts';
import { BridgePanel } from './panels/bridge-panel.tsx';
import { ClocksPanel } from './panels/clocks-panel.tsx';
import { ConnectionsPanel } from './panels/connections-panel.tsx';
import { CoresPanel } from './panels/cores-panel.tsx';
import { EnergyPanel } from './panels/energy-panel.tsx';
import { ImpairmentPanel } from './panels/impairment-panel.tsx';
import { PayloadPanel } from './panels/payload-panel.tsx';
import { PerfPanel } from './panels/perf-panel.tsx';
import { StatesPanel } from './panels/states-panel.tsx';
import styles from './run-extras.module.css';

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
