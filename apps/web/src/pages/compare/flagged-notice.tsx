import { notifications } from '@mantine/notifications';
import type { FlaggedNotice as Notice } from '@mqttlab/shared/analysis/flagged-runs';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { IconFlag, IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { showProblem } from '../../api/show-problem.tsx';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { useRefusal } from '../../ui/shell/shell-status.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import styles from './compare.module.css';

type FlaggedNoticeProps = {
  notice: Notice | null;
  /** Experiments whose flagged runs can be repeated; empty on read-only pages. */
  experimentIds: readonly number[];
};

/** Explains why many runs are flagged, which results still count and what to do. Hidden if few are flagged. */
export function FlaggedNotice({ notice, experimentIds }: FlaggedNoticeProps): ReactElement | null {
  if (!notice) return null;
  const { flagged, why, counts, unaffected, remedy } = notice;
  return (
    <section className={styles.notice} aria-label="Flagged runs">
      <IconFlag size={18} stroke={2} aria-hidden />
      <div>
        <p className={styles.lead}>{why}</p>
        <p className={styles.more}>
          {counts} {unaffected} {remedy}
        </p>
      </div>
      <RunAgainButton experimentIds={experimentIds} flagged={flagged} isPrimary />
    </section>
  );
}

type RunAgainProps = Pick<FlaggedNoticeProps, 'experimentIds'> & { flagged: number; isPrimary?: boolean };

/** Repeats every flagged trial. Each flagged run is retained, and counts until a valid run replaces it. */
export function RunAgainButton({ experimentIds, flagged, isPrimary }: RunAgainProps): ReactElement | null {
  const { mutateAsync, isPending } = useCall('POST /experiments/{id}/actions/{action}', answersExperiment);
  const navigate = useNavigate();
  const refusal = useRefusal();
  if (experimentIds.length === 0 || flagged === 0) return null;
  const runAgain = async () => {
    try {
      for (const id of experimentIds) await mutateAsync({ params: { id, action: 'rerun-flagged' } });
      notifications.show({ message: `${plural(flagged, 'flagged trial')} will run again`, withBorder: true });
      if (experimentIds.length === 1) await navigate(`/experiments/${experimentIds[0]}`);
    } catch (error) {
      showProblem('The flagged runs were not run again', error);
    }
  };
  return (
    <ActionButton
      variant={isPrimary ? 'filled' : 'default'}
      icon={IconRefresh}
      loading={isPending}
      disabled={refusal !== null}
      title={refusal ?? undefined}
      onClick={() => void runAgain()}
    >
      {flagged === 1 ? 'Run this one again' : `Run these ${formatCount(flagged)} again`}
    </ActionButton>
  );
}

/** Note on charts with hatched values. */
export const previewNote = '; hatched: flagged runs, not counted';

export function PreviewBadge(): ReactElement {
  return <StatusBadge kind="flagged">Preview</StatusBadge>;
}
