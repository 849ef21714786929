import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import { type Role, roles } from '@mqttlab/shared/domain/device';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import { ChartPanel } from '../charts/chart-panel.tsx';
import { PhaseWaterfall } from '../charts/phase-waterfall.tsx';
import { measuredQuantities, type PhaseQuantity, waterfallTable } from '../charts/waterfall-data.ts';
import { roleNames } from '../live/role-names.ts';
import { formatDuration } from '../ui/format/duration.ts';
import { SegmentedSwitch } from '../ui/segmented-switch.tsx';
import { makePhaseCosts, type SetUpSum, sumSetUp } from './phase-costs.ts';
import styles from './phases-panel.module.css';
import { QualityTag } from './quality-tag.tsx';

const words: Readonly<Record<PhaseQuantity, string>> = {
  time: 'Time',
  cpu: 'CPU',
  bytes: 'Bytes',
  energy: 'Energy',
};

/** What each phase took on one device: time, CPU time, bytes, energy. */
export function PhasesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const reported = roles.filter((role) =>
    run.results.some((item) => item.role === role && item.phases.length > 0),
  );
  const [chosenRole, setRole] = useState<Role>(
    carriesMessages(run.treatment.spec.workload) ? 'subscriber' : 'publisher',
  );
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
  const quality = run.results.find((item) => item.role === role)?.energy?.quality;
  return (
    <ChartPanel
      title="Phases"
      subtitle=""
      table={waterfallTable(costs)}
      actions={
        <span className={styles.switches}>
          {quality && quantity === 'energy' && <QualityTag quality={quality} />}
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
          ? describeSetUp(setUp)
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

function describeSetUp({ timeMs, bytes, cpuMs, energyJ }: SetUpSum): string {
  const costs = [
    `Set-up ${formatDuration(timeMs)}`,
    ...(bytes === null ? [] : [`${formatBytes(bytes)} on the wire`]),
    ...(cpuMs === null ? [] : [`${formatDuration(cpuMs)} of CPU`]),
    ...(energyJ === null ? [] : [formatQuantity(energyJ, 'J')]),
  ].join(', ');
  const how = bytes === null ? '' : ' Bytes are counted below TLS and above TCP, both directions.';
  return `${costs}.${how}`;
}
