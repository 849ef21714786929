import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { ReactElement } from 'react';
import { ClocksPanel } from './clocks-panel.tsx';
import { ConnectionsPanel } from './connections-panel.tsx';
import { CoresPanel } from './cores-panel.tsx';
import { EnergyPanel } from './energy-panel.tsx';
import { PayloadPanel } from './payload-panel.tsx';
import { PerfPanel } from './perf-panel.tsx';
import styles from './run-extras.module.css';
import { StatesPanel } from './states-panel.tsx';

/** What only some runs have: each panel is there when its data is. Two columns that fill by themselves. */
export function RunExtras({ run }: { run: RunDetail }): ReactElement {
  return (
    <div className={styles.extras}>
      <ConnectionsPanel run={run} />
      <StatesPanel run={run} />
      <PayloadPanel run={run} />
      <PerfPanel run={run} />
      <ClocksPanel run={run} />
      <EnergyPanel run={run} />
      <CoresPanel run={run} />
    </div>
  );
}
