import { Skeleton } from '@mantine/core';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { RunDetail, RunSummary } from '@mqttlab/shared/domain/runs/run';
import { formatCount } from '@mqttlab/shared/format/number';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { IconArrowUpRight } from '@tabler/icons-react';
import { memo, type ReactElement, useMemo } from 'react';
import { DeviceCharts } from '../../live/device-charts.tsx';
import { DeviceRows } from '../../live/device-rows.tsx';
import { expectHighest } from '../../live/fixed-scale.ts';
import { joinDevices } from '../../live/join-devices.ts';
import { LatencyLiveChart, nameBlocks } from '../../live/latency-live-chart.tsx';
import { countedMessages, makePhaseSteps } from '../../live/phase-steps.ts';
import { PhaseLine, PhaseStrip } from '../../live/phase-strip.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import styles from './current-run-panel.module.css';
import { identityOf } from './treatment-identity.ts';

export type CurrentRunPanelProps = {
  current: CurrentRun;
  treatment: Treatment;
  /** Finished runs of the same treatment: the grey lines. */
  earlier: readonly RunDetail[];
  /** Runs of the experiment: they say how high the axis must reach. */
  runs: readonly RunSummary[];
  testbed: TestbedStatus | undefined;
  onOpenRun?: ((runId: number) => void) | undefined;
};

/** The run under way: its phases, message latency and every device, second by second. */
export const CurrentRunPanel = memo(function CurrentRunPanel(props: CurrentRunPanelProps): ReactElement {
  const { treatment, earlier, runs, testbed, onOpenRun } = props;
  const current = useMemo(() => joinDevices(props.current), [props.current]);
  const isPhone = useIsPhone();
  const { run } = current;
  const { spec } = treatment;
  const steps = useMemo(() => makePhaseSteps(current, spec), [current, spec]);
  const expectedMs = useMemo(
    () => expectHighest(runs.flatMap(({ metrics }) => metrics['latency.p95'] ?? [])),
    [runs],
  );
  // Of several in a role, some may have nothing to do in this run.
  const telling = new Set(props.current.progress.map(({ deviceId }) => deviceId));
  const taking = testbed?.devices.filter(({ deviceId }) => telling.size === 0 || telling.has(deviceId));
  const byRole = Map.groupBy(taking ?? [], ({ role }) => role);
  const devices = Object.fromEntries(
    [...byRole].map(([role, own]) => [role, own.map(({ name }) => name).join(', ')]),
  );
  const identity = useMemo(() => identityOf(treatment), [treatment]);
  const shared = {
    current,
    treatment: identity,
    earlier,
    warmUpMs: spec.warmUpMs,
    measureMs: spec.measureMs,
  };
  const grey =
    earlier.length === 0 ? '' : `; grey: ${nameBlocks(earlier.map(({ block }) => block))} of this treatment`;
  return (
    <Panel
      mark={<TreatmentMark index={treatment.mark} />}
      title={isPhone ? treatment.shortLabel : `Run ${run.id}: ${treatment.label}`}
      subtitle={
        isPhone
          ? `run ${run.id}, rep ${run.block}`
          : `repetition ${run.block}, trial ${run.trialNumber}${countWords(current, spec)}`
      }
      actions={
        onOpenRun && (
          <IconButton
            icon={IconArrowUpRight}
            label={`Open run ${run.id}`}
            onClick={() => onOpenRun(run.id)}
          />
        )
      }
    >
      <div className={styles.phases}>
        {isPhone ? <PhaseLine steps={steps} /> : <PhaseStrip steps={steps} />}
      </div>
      {carriesMessages(spec.workload) && (
        <div className={styles.latency}>
          <h3>
            {isPhone ? (
              'Message latency, ms: median with P5 to P95'
            ) : (
              <>
                Message latency <span>ms, per second: median with P5 to P95{grey}</span>
              </>
            )}
          </h3>
          <LatencyLiveChart
            {...shared}
            expectedMs={expectedMs}
            axisKey={String(run.experimentId)}
            heightPx={isPhone ? 138 : 170}
          />
        </div>
      )}
      {isPhone ? (
        <DeviceRows
          current={current}
          treatment={identity}
          measureMs={spec.measureMs}
          warmUpMs={spec.warmUpMs}
        />
      ) : (
        <DeviceCharts {...shared} devices={devices} />
      )}
    </Panel>
  );
});

/** ", 412 of 1,000 messages" where the load ends with a count. */
function countWords(current: CurrentRun, spec: Treatment['spec']): string {
  const counted = countedMessages(current, spec);
  return counted ? `, ${formatCount(counted.sent)} of ${formatCount(counted.all)} messages` : '';
}

/** Before the first run, of the same height: nothing moves when it comes. */
export function CurrentRunPlaceholder({ words }: { words: string }): ReactElement {
  return (
    <Panel title="Current run" subtitle={words}>
      <div className={styles.placeholder} aria-hidden>
        <Skeleton height={40} animate={false} />
        <Skeleton height={180} animate={false} />
        <Skeleton height={280} animate={false} />
      </div>
    </Panel>
  );
}
