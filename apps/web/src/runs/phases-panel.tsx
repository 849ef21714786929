import { type Role, roles } from '@mqttlab/shared/domain/device';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { PhaseWaterfall } from '../charts/phase-waterfall.tsx';
import { measuredQuantities, type PhaseQuantity, waterfallTable } from '../charts/waterfall-data.ts';
import { roleNames } from '../live/role-names.ts';
import { formatDuration } from '../ui/format/duration.ts';
import { SegmentedSwitch } from '../ui/segmented-switch.tsx';
import { makePhaseCosts, sumSetUp } from './phase-costs.ts';
import styles from './phases-panel.module.css';

const words: Readonly<Record<PhaseQuantity, string>> = {
  time: 'Time',
  cpu: 'CPU',
  bytes: 'Bytes',
  energy: 'Energy',
};

/** What each phase took on one device: time, CPU time, bytes. */
export function PhasesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const reported = roles.filter((role) =>
    run.results.some((item) => item.role === role && item.phases.length > 0),
  );
  const [chosenRole, setRole] = useState<Role>('subscriber');
  const [chosenQuantity, setQuantity] = useState<PhaseQuantity>('time');
  const role = reported.includes(chosenRole) ? chosenRole : reported[0];
  const costs = useMemo(() => {
    const result = run.results.find((item) => item.role === role);
    return result ? makePhaseCosts(result) : [];
  }, [run, role]);
  if (!role) return null;
  const looks = measuredQuantities(costs);
  const quantity = looks.some((look) => look.key === chosenQuantity) ? chosenQuantity : 'time';
  const setUp = sumSetUp(costs);
  return (
    <ChartPanel
      title="Phases"
      subtitle=""
      table={waterfallTable(costs)}
      actions={
        <span className={styles.switches}>
          <SegmentedSwitch
            label="Device"
            size="sm"
            value={role}
            onChange={setRole}
            options={reported.map((item) => ({ value: item, label: roleNames[item] }))}
          />
          <SegmentedSwitch
            label="Quantity"
            size="sm"
            value={quantity}
            onChange={setQuantity}
            options={looks.map((look) => ({ value: look.key, label: words[look.key] }))}
          />
        </span>
      }
      footnote={
        setUp
          ? `Set-up ${formatDuration(setUp.timeMs)}, ${formatBytes(setUp.bytes)} on the wire${
              setUp.cpuMs === null ? '' : `, ${formatDuration(setUp.cpuMs)} of CPU`
            }. Bytes are counted below TLS and above TCP, both directions.`
          : 'The broker opens no connection; bytes are counted on the clients’ sockets.'
      }
    >
      <PhaseWaterfall
        label={`Phases of the ${role}, ${words[quantity]}`}
        treatmentIndex={run.treatment.mark}
        phases={costs}
        quantity={quantity}
      />
    </ChartPanel>
  );
}
