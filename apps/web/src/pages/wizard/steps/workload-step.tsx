import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import type { Issue } from '@mqttlab/shared/domain/issue';
import type { ExperimentDraft, Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import { abuseLimits } from '@mqttlab/shared/domain/plans/trial-levels';
import {
  shownFieldsOf,
  type WorkloadFieldName,
  type WorkloadKind,
} from '@mqttlab/shared/domain/plans/workload';
import {
  type Icon,
  IconActivity,
  IconArrowsExchange,
  IconLock,
  IconShieldX,
  IconStairsUp,
  IconWaveSquare,
} from '@tabler/icons-react';
import { type ReactElement, useId } from 'react';
import { formatDuration } from '../../../ui/format.ts';
import { FieldRow } from '../../../ui/input/field.tsx';
import { NumberField } from '../../../ui/input/number-field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { issueOfField, issuesOfStep } from '../model/steps.ts';
import { useWizard } from '../model/wizard-context.tsx';
import { burstPictureOf, kindLooks, lookOf, responseFor, stripPartsOf } from '../model/workload-kinds.ts';
import { MessagesTable } from './messages-table.tsx';
import { IssueList, StepHead } from './step-frame.tsx';
import styles from './workload-step.module.css';

export function WorkloadStep(): ReactElement {
  const { draft, edit, planning } = useWizard();
  const { workload } = draft;
  const { issues } = planning;
  const { label, isCounted } = lookOf(workload.kind);
  const change = (part: Partial<ExperimentDraft['workload']>) => edit({ workload: { ...workload, ...part } });
  const others = issuesOfStep(issues, 'workload').filter(
    ({ field }) => !shownFieldsOf(workload.kind).some(([name]) => field === `workload.${name}`),
  );
  return (
    <>
      <StepHead title="Workload" lead="What each run does, its duration and its sample rate." />
      <IssueList issues={others} />
      <KindCards
        value={workload.kind}
        onChange={(kind) =>
          edit({ workload: { ...workload, kind }, response: responseFor(kind, draft.response) })
        }
      />
      <Panel title={`One run, ${label.toLowerCase()}`} subtitle="the same for every treatment" padded>
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
            {draft.sampleHz === 10 ? 'Ten times the data. For runs of a few seconds.' : ''}
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

const icons: Readonly<Record<WorkloadKind, Icon>> = {
  stream: IconActivity,
  burst: IconWaveSquare,
  reconnect: IconArrowsExchange,
  handshake: IconLock,
  states: IconStairsUp,
  availability: IconShieldX,
};

type KindCardsProps = { value: WorkloadKind; onChange: (kind: WorkloadKind) => void };

/** Selects one of six workloads. Uses native radio buttons, so arrow keys work. */
function KindCards({ value, onChange }: KindCardsProps): ReactElement {
  const name = useId();
  return (
    <fieldset className={styles.cards}>
      <legend className="visually-hidden">Kind of workload</legend>
      {kindLooks.map(({ kind, label, sentence }) => {
        const KindIcon = icons[kind];
        return (
          <label key={kind} className={styles.card}>
            <input
              type="radio"
              name={name}
              value={kind}
              checked={kind === value}
              onChange={() => onChange(kind)}
            />
            <span className={styles.name}>
              <KindIcon size={16} stroke={2} aria-hidden />
              {label}
            </span>
            <span className={styles.sentence}>{sentence}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** Phases of one run in proportion to their duration, with the bursts of a burst workload. */
function PhaseStrip({ workload }: { workload: Workload }): ReactElement {
  return (
    <div className={styles.frame}>
      <ol className={styles.strip} aria-label="Phases of one run">
        {stripPartsOf(workload).map(({ tone, name, words, weight }) => (
          <li key={name} data-tone={tone} style={{ flexGrow: weight }}>
            <b>{name}</b> <span>{words}</span>
          </li>
        ))}
      </ol>
      {workload.kind === 'burst' && <Bursts workload={workload} />}
    </div>
  );
}

function Bursts({ workload }: { workload: Workload }): ReactElement | null {
  const picture = burstPictureOf(workload);
  if (!picture) return null;
  return (
    <figure className={styles.bursts}>
      <div className={styles.track} aria-hidden data-cut={picture.isCut || undefined}>
        {picture.blocks.map(({ from, to }) => (
          <i key={from} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
        ))}
      </div>
      <figcaption>
        {picture.words}
        {picture.isCut && '; the first 40 are shown'}
      </figcaption>
    </figure>
  );
}

const timeLimit = {
  label: 'Time limit',
  hint: 'The run ends after the last connection, or after this time at the latest.',
};

/** Returns the labels of fields that have a different meaning for some workloads. */
function namesFor(
  { kind, messages }: Workload,
  field: WorkloadFieldName,
): Partial<Record<'label' | 'hint', string>> {
  if (lookOf(kind).isCounted) return field === 'measureMs' ? timeLimit : {};
  if (kind === 'stream' && messages !== null && field === 'measureMs') {
    return {
      label: 'Time limit',
      hint: 'The run ends after the last message, or after this time at the latest.',
    };
  }
  if (kind !== 'availability') return {};
  if (field === 'warmUpMs') {
    return { label: 'Undisturbed', hint: 'The client connects before the attack starts.' };
  }
  return field === 'measureMs'
    ? {
        label: 'Under abuse',
        hint: `At most ${abuseLimits.measureMs / 1000} s. Idle connections are closed after at least 15 s.`,
      }
    : {};
}

type WorkloadFieldsProps = {
  workload: Workload;
  issues: readonly Issue[];
  onChange: (part: Partial<Workload>) => void;
};

/** Numeric fields of the selected workload. */
function WorkloadFields({ workload, issues, onChange }: WorkloadFieldsProps): ReactElement {
  return (
    <div className={styles.fields}>
      {shownFieldsOf(workload.kind).map(([field, { label, hint, shownUnit, scale = 1, least, initial }]) => (
        <NumberField
          key={field}
          label={label}
          hint={hint}
          unit={shownUnit}
          scale={scale}
          // A field that may be null shows null as 0.
          min={initial === null ? 0 : least / scale}
          {...namesFor(workload, field)}
          value={workload[field] ?? 0}
          problem={issueOfField(issues, `workload.${field}`)}
          onChange={(value) => onChange({ [field]: initial === null && value === 0 ? null : value })}
        />
      ))}
    </div>
  );
}
