import {
  describeWaterfall,
  measuredQuantities,
  type PhaseCost,
  type PhaseQuantity,
  waterfallTable,
} from '@mqttlab/charts/kinds/waterfall';
import { wireBytesOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { phases, setUpPhases } from '@mqttlab/shared/domain/runs/statuses';
import { formatBytes, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type ReactElement, useMemo, useState } from 'react';
import { WideChart } from '../../../charts/chart.tsx';
import { FigurePanel } from '../../../charts/panels/figure-panel.tsx';
import { QualityTag } from '../../../ui/facts.tsx';
import { formatDuration } from '../../../ui/format.ts';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import styles from './panels.module.css';
import { runDevices, useDevice } from './run-devices.tsx';

const words: Readonly<Record<PhaseQuantity, string>> = {
  time: 'Time',
  cpu: 'CPU',
  bytes: 'Bytes',
  energy: 'Energy',
};

/** Cost of each phase on a device: time, CPU time, bytes and energy. */
export function PhasesPanel({ run }: { run: RunDetail }): ReactElement | null {
  const reported = useMemo(() => runDevices(run).filter(({ result }) => result.phases.length > 0), [run]);
  const { spec } = run.treatment;
  const usual = carriesMessages(spec.workload) && !isCoap(spec) ? 'subscriber' : 'publisher';
  const { shown, deviceSwitch } = useDevice(reported, usual);
  const [chosenQuantity, setQuantity] = useState<PhaseQuantity>('time');
  const costs = useMemo(() => (shown ? makePhaseCosts(shown.result) : []), [shown]);
  if (!shown) return null;
  const looks = measuredQuantities(costs);
  const quantity = looks.some((look) => look.key === chosenQuantity) ? chosenQuantity : 'time';
  const setUp = sumSetUp(costs, setUpSpanMs(shown.result));
  const quality = shown.result.energy?.quality;
  return (
    <FigurePanel
      title="Phases"
      subtitle=""
      table={waterfallTable(costs)}
      actions={
        <span className={styles.switches}>
          {quality && quantity === 'energy' && <QualityTag quality={quality} />}
          {deviceSwitch}
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
          : 'The broker opens no connections. Bytes are counted on the clients’ sockets.'
      }
    >
      <WideChart
        describe={describeWaterfall}
        label={`Phases of the ${shown.label.toLowerCase()}, ${words[quantity]}`}
        treatmentIndex={run.treatment.mark}
        phases={costs}
        quantity={quantity}
      />
    </FigurePanel>
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

/**
 * Returns the phases of one device for the waterfall. Bytes are counted on the clients' sockets, above TCP.
 */
export function makePhaseCosts(result: RoleResult): PhaseCost[] {
  return phases.flatMap((phase): PhaseCost[] => {
    const record = result.phases.find((item) => item.phase === phase);
    if (!record) return [];
    return [
      {
        name: phase,
        part: setUpPhases.includes(phase) ? 'set-up' : 'load',
        timeMs: record.durationUs / 1000,
        cpuMs: record.cpuUs === null ? null : record.cpuUs / 1000,
        bytes: phase === 'tcp' ? null : wireBytesOf(record),
        energyJ: record.energyJ,
      },
    ];
  });
}

interface SetUpSum {
  /** Time from SYN to CONNACK (and SUBACK), or the sum of the phases for runs without that value. */
  timeMs: number;
  cpuMs: number | null;
  /** null if bytes were not counted. */
  bytes: number | null;
  energyJ: number | null;
}

/**
 * Returns the mean time from SYN to CONNACK over the connections that stay open, in ms; null if not reported.
 */
export function setUpSpanMs({ histograms }: Pick<RoleResult, 'histograms'>): number | null {
  const kept = histograms['kept.set-up'];
  return kept && kept.count > 0 ? kept.sum / kept.count / 1000 : null;
}

/**
 * Returns the total cost of connecting; null for devices that do not connect. `spanMs` is the time from SYN
 * to CONNACK, if known.
 */
export function sumSetUp(costs: readonly PhaseCost[], spanMs: number | null = null): SetUpSum | null {
  const own = costs.filter((cost) => cost.part === 'set-up');
  if (own.length === 0) return null;
  const subscribeMs = own.find(({ name }) => name === 'subscribe')?.timeMs ?? 0;
  const sum = own.reduce<SetUpSum>(
    (sum, cost) => ({
      timeMs: sum.timeMs + (cost.timeMs ?? 0),
      cpuMs: sum.cpuMs === null || cost.cpuMs === null ? null : sum.cpuMs + cost.cpuMs,
      bytes: cost.bytes === null ? sum.bytes : (sum.bytes ?? 0) + cost.bytes,
      energyJ: sum.energyJ === null || cost.energyJ === null ? null : sum.energyJ + cost.energyJ,
    }),
    { timeMs: 0, cpuMs: 0, bytes: null, energyJ: 0 },
  );
  return spanMs === null ? sum : { ...sum, timeMs: spanMs + subscribeMs };
}
