import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import {
  measuredQuantities,
  type PhaseQuantity,
  waterfallTable,
} from '../../../charts/datasets/waterfall-data.ts';
import { ChartPanel } from '../../../charts/panels/chart-panel.tsx';
import { PhaseWaterfall } from '../../../charts/phase-waterfall.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { DeviceSwitch } from '../device-switch.tsx';
import { makePhaseCosts, type SetUpSum, setUpSpanMs, sumSetUp } from '../models/phase-costs.ts';
import { pickDevice, runDevices } from '../models/run-devices.ts';
import { QualityTag } from '../quality-tag.tsx';
import styles from './phases-panel.module.css';

const words: Readonly<Record<PhaseQuantity, string>> = {
  time: 'Time',
  cpu: 'CPU',
  bytes: 'Bytes',
  energy: 'Energy',
};

/** What each phase took on one device: time, CPU time, bytes, energy. */
export function PhasesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const reported = useMemo(() => runDevices(run).filter(({ result }) => result.phases.length > 0), [run]);
  const [chosen, setChosen] = useState<string | null>(null);
  const { spec } = run.treatment;
  const usual = carriesMessages(spec.workload) && !isCoap(spec) ? 'subscriber' : 'publisher';
  const shown = pickDevice(reported, chosen, usual);
  const [chosenQuantity, setQuantity] = useState<PhaseQuantity>('time');
  const costs = useMemo(() => (shown ? makePhaseCosts(shown.result) : []), [shown]);
  if (!shown) return null;
  const looks = measuredQuantities(costs);
  const quantity = looks.some((look) => look.key === chosenQuantity) ? chosenQuantity : 'time';
  const setUp = sumSetUp(costs, setUpSpanMs(shown.result));
  const quality = shown.result.energy?.quality;
  return (
    <ChartPanel
      title="Phases"
      subtitle=""
      table={waterfallTable(costs)}
      actions={
        <span className={styles.switches}>
          {quality && quantity === 'energy' && <QualityTag quality={quality} />}
          <DeviceSwitch devices={reported} value={shown.key} onChange={setChosen} />
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
        label={`Phases of the ${shown.label.toLowerCase()}, ${words[quantity]}`}
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
