import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ReactElement } from 'react';
import { formatDuration } from '../../../ui/format/duration.ts';
import { FieldRow } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { IssueList } from '../frame/issue-list.tsx';
import { StepHead } from '../frame/step-head.tsx';
import { issuesOfStep } from '../steps.ts';
import { useWizard } from '../wizard-context.tsx';
import { KindCards } from './kind-cards.tsx';
import { MessagesTable } from './messages-table.tsx';
import { PhaseStrip } from './phase-strip.tsx';
import { WorkloadFields } from './workload-fields.tsx';
import { lookOf, responseFor } from './workload-kinds.ts';
import styles from './workload-step.module.css';

export function WorkloadStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { workload } = draft;
  const { issues } = planning;
  const { label, fields, isCounted } = lookOf(workload.kind);
  const change = (part: Partial<ExperimentDraft['workload']>) => edit({ workload: { ...workload, ...part } });
  const others = issuesOfStep(issues, 'workload').filter(
    ({ field }) => !fields.some((name) => field === `workload.${name}`),
  );
  return (
    <>
      <StepHead title="Workload" lead="What each run does, how long, and how closely it is watched." />
      <IssueList issues={others} />
      <KindCards
        value={workload.kind}
        onChange={(kind) =>
          edit({ workload: { ...workload, kind }, response: responseFor(kind, draft.response) })
        }
      />
      <Panel title={`One run, ${label.toLowerCase()}`} subtitle="every treatment the same" padded>
        <PhaseStrip workload={workload} />
        <WorkloadFields workload={workload} issues={issues} onChange={change} />
      </Panel>
      <div className={styles.gap} />
      <Panel>
        <FieldRow label="Sample rate" note="of CPU, memory and power">
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
            {!isCounted && samplesWords(draft)}{' '}
            {draft.sampleHz === 10 ? 'Ten times the data; for runs of a few seconds.' : ''}
          </p>
        </FieldRow>
      </Panel>
      <div className={styles.gap} />
      {carriesMessages(workload.kind) && <MessagesTable />}
    </>
  );
}

function samplesWords({ workload, sampleHz }: ExperimentDraft): string {
  const samples = Math.floor((workload.measureMs / 1000) * sampleHz);
  return `${samples} samples of each series in ${formatDuration(workload.measureMs)}.`;
}
