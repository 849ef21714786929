import { Popover } from '@mantine/core';
import { pagePalette } from '@mqttlab/charts/drawing/palette';
import { drawTreatmentSparkline } from '@mqttlab/charts/kinds/sparkline';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { noticesOf } from '@mqttlab/shared/domain/runs/import-marks';
import { formatCount, NO_VALUE } from '@mqttlab/shared/format/number';
import { IconFlag, IconNote } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useApi } from '../../api/use-api.ts';
import { PictureView } from '../../charts/picture-view.tsx';
import { useTimeLeft } from '../../live/live-provider.tsx';
import { TagList } from '../../ui/facts.tsx';
import { experimentCode, experimentPath, experimentTitle } from '../../ui/format.ts';
import { late } from '../../ui/late.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { TrialBar } from '../../ui/trial-bar.tsx';
import {
  countValidity,
  describeHeadline,
  describeStatus,
  describeWaiting,
  variedWords,
  whyNoResult,
} from './describe-experiment.ts';
import styles from './experiments.module.css';

export const LabelsEditor = late(async () => (await import('./labels-editor.tsx')).LabelsEditor);

type CellProps = { experiment: ExperimentSummary };

export const isLive = ({ status }: ExperimentSummary): boolean =>
  status === 'running' || status === 'pausing' || status === 'stopping';

export function NameCell({ experiment }: CellProps): ReactElement {
  const { id, name, varied, notes, broken, imported } = experiment;
  const about = broken ?? (varied.length > 0 ? variedWords(varied) : 'nothing varied yet');
  return (
    <>
      <Link className={styles.nameLink} to={experimentPath(experiment)} title={name}>
        {name.trim() === '' ? <i>{experimentTitle(name)}</i> : name}
      </Link>
      <span className={styles.two} title={broken ?? (notes || undefined)}>
        <span className="mono">{experimentCode(id)}</span>
        &ensp;{about}
      </span>
      {noticesOf(imported).map((mark) => (
        <span key={mark.name} className={styles.two} title={mark.sentence}>
          <StatusLine kind="flagged">{mark.name}</StatusLine>
        </span>
      ))}
    </>
  );
}

export function StatusCell({ experiment }: CellProps): ReactElement {
  const timeLeftMs = useTimeLeft(experiment);
  const { kind, word, note } = describeStatus({ ...experiment, timeLeftMs });
  return (
    <>
      <span className={styles.first}>
        <StatusLine kind={kind}>{word}</StatusLine>
      </span>
      {experiment.status === 'queued' || experiment.status === 'running' ? (
        <WaitingNote experiment={experiment} otherwise={note} />
      ) : (
        <span className={`${styles.two} ${styles.indent} tabular`}>{note}</span>
      )}
    </>
  );
}

/** Shows the time left, or the reason for waiting if the experiment is waiting. */
function WaitingNote({ experiment, otherwise }: CellProps & { otherwise: string }): ReactElement {
  const testbed = useApi('GET /testbeds').data?.items.find(
    ({ testbedId }) => testbedId === experiment.testbedId,
  );
  const waiting = describeWaiting(experiment, testbed);
  return (
    <span
      className={`${styles.two} ${styles.indent} tabular`}
      title={waiting ? `${waiting.reason} ${waiting.remedy}` : undefined}
    >
      {waiting?.short ?? otherwise}
    </span>
  );
}

export function TrialsCell({ experiment }: CellProps): ReactElement {
  const { trials, done, failed, flagged, running } = experiment.progress;
  if (experiment.status === 'draft') {
    return <span className="dim">{trials > 0 ? `${formatCount(trials)} planned` : NO_VALUE}</span>;
  }
  return (
    <>
      <span className="tabular">
        {formatCount(done)}
        <span className="dim"> of {formatCount(trials)}</span>
      </span>
      <span className={styles.bar}>
        <TrialBar
          total={trials}
          done={done + failed}
          flagged={flagged}
          failed={failed}
          running={running}
          isLive={isLive(experiment)}
        />
        {failed > 0 && <span className={styles.failed}>{formatCount(failed)} failed</span>}
      </span>
    </>
  );
}

export function ValidityCell({ experiment }: CellProps): ReactElement | null {
  const { valid, flagged } = countValidity(experiment);
  if (valid + flagged === 0) return null;
  return (
    <>
      {valid > 0 && (
        <span className={styles.first}>
          <StatusLine kind="valid">{formatCount(valid)} valid</StatusLine>
        </span>
      )}
      {valid === 0 && (
        <span className={styles.first}>
          <StatusLine kind="flagged">{formatCount(flagged)} flagged</StatusLine>
        </span>
      )}
      {valid > 0 && flagged > 0 && (
        <span className={`${styles.two} ${styles.flagged}`}>
          <IconFlag size={14} stroke={2} aria-hidden />
          {formatCount(flagged)} flagged
        </span>
      )}
    </>
  );
}

export function ResultCell({ experiment }: CellProps): ReactElement {
  const { headline } = experiment;
  if (!headline) {
    const reason = whyNoResult(experiment);
    return (
      <>
        <span className="dim">{reason === null ? 'No result yet' : 'No comparison'}</span>
        {reason && <span className={styles.two}>{reason}</span>}
      </>
    );
  }
  const { figure, contrast, metric } = describeHeadline(headline);
  const soFar = isLive(experiment) ? ', so far' : '';
  return (
    <span className={styles.mainResult}>
      <PictureView
        isFixed
        picture={drawTreatmentSparkline(pagePalette, {
          label: 'Each treatment',
          marks: headline.points.map(({ mark, value }) => ({ index: mark, value, lo: value, hi: value })),
          groupSize: 1,
          widthPx: 80,
        })}
      />
      <span className={styles.figure} title={`${headline.sentence}${soFar}`}>
        <span className={styles.line}>
          <span className="tabular">{figure}</span> <span className={styles.metric}>{metric}</span>
        </span>
        <span className={styles.two}>
          {contrast}
          {soFar}
        </span>
      </span>
    </span>
  );
}

type TagsCellProps = {
  experiment: ExperimentSummary;
  knownTags: readonly string[];
  isEdited: boolean;
  onEdit: () => void;
  onClose: () => void;
};

/** Tags of a row. A click edits name, tags and notes in place. */
export function TagsCell({ experiment, knownTags, isEdited, onEdit, onClose }: TagsCellProps): ReactElement {
  const { tags, notes } = experiment;
  return (
    <Popover opened={isEdited} onDismiss={onClose} position="bottom-end" trapFocus width={320} returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles.tags}
          aria-label={`Edit name, tags and notes${tags.length > 0 ? `; tags ${tags.join(', ')}` : ''}`}
          onClick={isEdited ? onClose : onEdit}
        >
          {notes !== '' && <IconNote size={14} stroke={2} aria-hidden />}
          {tags.length > 0 ? <TagList tags={tags} /> : <span className={styles.none}>Add a tag</span>}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {isEdited && <LabelsEditor experiment={experiment} knownTags={knownTags} onClose={onClose} />}
      </Popover.Dropdown>
    </Popover>
  );
}
