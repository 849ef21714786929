import type { ExperimentDraft } from '@mqttlab/shared/domain/experiment-draft';
import type { ReactElement } from 'react';
import { FieldRow } from '../../ui/field.tsx';
import { formatDuration } from '../../ui/format/duration.ts';
import { Panel } from '../../ui/panel.tsx';
import { SegmentedSwitch } from '../../ui/segmented-switch.tsx';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { NumberField } from '../number-field.tsx';
import { issueOfField, issuesOfStep } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { MessagesTable } from './messages-table.tsx';
import { PhaseStrip } from './phase-strip.tsx';
import styles from './workload-step.module.css';

type Workload = ExperimentDraft['workload'];

const own = ['warmUpMs', 'measureMs', 'drainTimeoutMs', 'window'];

export function WorkloadStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { workload } = draft;
  const { issues } = planning;
  const change = (part: Partial<Workload>) => edit({ workload: { ...workload, ...part } });
  const problem = (field: string) => issueOfField(issues, `workload.${field}`);
  const others = issuesOfStep(issues, 'workload').filter(
    ({ field }) => !own.some((name) => field === `workload.${name}`),
  );
  return (
    <>
      <StepHead title="Workload" lead="How long each run sends, and how closely it is watched." />
      <IssueList issues={others} />
      <Panel title="Time of one run" subtitle="every treatment the same" padded>
        <PhaseStrip workload={workload} />
        <div className={styles.fields}>
          <NumberField
            label="Warm-up"
            unit="s"
            hint="Load before measuring, so that caches, congestion windows and clocks of the processor settle."
            scale={1000}
            min={0}
            value={workload.warmUpMs}
            problem={problem('warmUpMs')}
            onChange={(warmUpMs) => change({ warmUpMs })}
          />
          <NumberField
            label="Measure"
            unit="s"
            hint="Only messages that were due in this time count."
            scale={1000}
            min={0.1}
            value={workload.measureMs}
            problem={problem('measureMs')}
            onChange={(measureMs) => change({ measureMs })}
          />
          <NumberField
            label="Drain, at most"
            unit="s"
            hint="Wait for messages under way. Ends as soon as all have arrived; what is missing then is lost."
            scale={1000}
            min={0.1}
            value={workload.drainTimeoutMs}
            problem={problem('drainTimeoutMs')}
            onChange={(drainTimeoutMs) => change({ drainTimeoutMs })}
          />
          <NumberField
            label="Window"
            unit="messages"
            hint="Most messages in flight for each publisher at QoS 1 and 2. A small window limits the rate."
            min={1}
            value={workload.window}
            problem={problem('window')}
            onChange={(window) => change({ window })}
          />
        </div>
      </Panel>
      <div className={styles.gap} />
      <Panel>
        <FieldRow label="Sample rate" note="of CPU, memory and progress">
          <div>
            <SegmentedSwitch
              label="Sample rate"
              value={String(draft.sampleHz)}
              options={[
                { value: '1', label: '1 Hz' },
                { value: '10', label: '10 Hz' },
              ]}
              onChange={(value) => edit({ sampleHz: value === '10' ? 10 : 1 })}
            />
          </div>
          <p className="second">
            {samplesWords(draft)}{' '}
            {draft.sampleHz === 10 ? 'Ten times the data; for runs of a few seconds.' : ''}
          </p>
        </FieldRow>
      </Panel>
      <div className={styles.gap} />
      <MessagesTable />
    </>
  );
}

function samplesWords({ workload, sampleHz }: ExperimentDraft): string {
  const samples = Math.floor((workload.measureMs / 1000) * sampleHz);
  return `${samples} samples of each series in ${formatDuration(workload.measureMs)}.`;
}
