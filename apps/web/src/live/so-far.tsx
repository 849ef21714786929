import { describeStacks } from '@mqttlab/charts/kinds/stack';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { AnswerPicture } from '@mqttlab/shared/catalogue/workloads';
import { type RunDetail, runName } from '@mqttlab/shared/domain/runs/run';
import { plural } from '@mqttlab/shared/format/number';
import type { CurrentRun } from '@mqttlab/shared/messages/live';
import { type ReactElement, useMemo } from 'react';
import { Chart } from '../charts/chart.tsx';
import type { TreatmentIdentity } from '../ui/treatment-mark.tsx';
import styles from './live.module.css';

type SoFarProps = {
  current: CurrentRun;
  treatment: TreatmentIdentity;
  earlier: readonly RunDetail[];
  picture: Extract<AnswerPicture, { parts: unknown }>;
};

/** What connections have taken until now, phase by phase or state by state, above earlier repetitions. */
export function SoFar({ current, treatment, earlier, picture }: SoFarProps): ReactElement {
  const frame = current.progress.findLast(({ role }) => role === 'publisher');
  const { parts, title, layout } = picture;
  const unit = findMetric(parts[0]?.metric ?? '')?.unit ?? '';
  const told = useMemo(() => {
    const barOf = (name: string, values: Readonly<Record<string, number | null>>) => ({
      name,
      parts: parts.map(({ metric }) => values[metric] ?? 0),
    });
    const runs = [
      barOf('this run', frame?.soFar ?? {}),
      ...earlier.map((run) => barOf(`rep ${run.block}`, run.metrics)),
    ];
    if (layout === 'stacked') return { parts: parts.map(({ label }) => label), bars: runs };
    const [now] = runs;
    return { parts: [], bars: parts.map(({ label }, i) => ({ name: label, parts: [now?.parts[i] ?? 0] })) };
  }, [frame?.soFar, earlier, parts, layout]);
  return (
    <div className={styles.latency}>
      <h3>
        {title}{' '}
        <span>
          {unit}, over {plural(frame?.messages ?? 0, 'connection')} so far
        </span>
      </h3>
      <Chart
        describe={describeStacks}
        label={`${title} of ${runName(current.run)}, ${unit}`}
        unit={unit}
        data={told}
        {...(layout === 'stacked' ? {} : { treatmentIndex: treatment.index })}
      />
    </div>
  );
}
