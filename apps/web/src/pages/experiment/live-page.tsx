import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { studyOriginOf } from '@mqttlab/shared/planning/study';
import { IconBook2, IconReportAnalytics, IconScale, IconShare3 } from '@tabler/icons-react';
import { type ReactElement, useCallback, useMemo, useState } from 'react';
import { Navigate, useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch, parseId } from '../../api/no-such.ts';
import { useApi } from '../../api/use-api.ts';
import { useLive, useServerNow } from '../../live/live-provider.tsx';
import { useEarlierRuns } from '../../live/use-earlier-runs.ts';
import { ExportMenu } from '../../share/export-menu.tsx';
import { ShareDialog } from '../../share/share-dialog.tsx';
import {
  experimentCode,
  experimentTitle,
  formatDateTime,
  formatDay,
  formatTimeOfDay,
} from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { CurrentBadge } from '../../ui/shell/shell-status.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { STATUS_KINDS, StatusBadge } from '../../ui/status.tsx';
import { pictureOf } from '../compare/answer-panel.tsx';
import { canCompare, describeStatus, withFlagged } from '../experiments/describe-experiment.ts';
import styles from './experiment.module.css';
import { type ExperimentLive, ExperimentView } from './experiment-view.tsx';
import { noticeOfExperiment } from './flagged-panel.tsx';
import { OfferButtons, useExperimentActions } from './offers.tsx';

const breadcrumbs = [{ label: 'Experiments', to: '/experiments' }];

/** The page of a started experiment; a draft opens in the wizard. */
export function LivePage(): ReactElement {
  const { id } = useParams();
  const number = parseId(id);
  const { data, error, refetch } = useApi(
    'GET /experiments/{id}',
    number === null ? null : { params: { id: number } },
  );
  if (data?.status === 'draft') return <Navigate to={`/experiments/${data.id}/edit`} replace />;
  if (data) return <LoadedExperiment key={data.id} experiment={data} />;
  return (
    <Page title={number === null ? 'Experiment' : experimentCode(number)} breadcrumbs={breadcrumbs}>
      {error || number === null ? (
        <ApiErrorState error={error ?? noSuch('experiment', id)} onRetry={() => void refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </Page>
  );
}

function LoadedExperiment({ experiment }: { experiment: ExperimentDetail }): ReactElement {
  const navigate = useNavigate();
  const nowMs = useServerNow(isFinished(experiment.status) ? 60_000 : 1000);
  const live = useExperimentLive(experiment);
  const comparison = useApi(
    'GET /compare',
    isFinished(experiment.status) || experiment.status === 'paused'
      ? { query: { experiments: String(experiment.id) } }
      : null,
  ).data;
  const isOverTime = comparison && pictureOf(comparison)?.layout === 'over time';
  const series = useApi(
    'GET /compare/series',
    isOverTime ? { query: { experiments: String(experiment.id), flagged: 'false' } } : null,
  ).data?.items;
  const actions = useExperimentActions(experiment.id);
  const testbeds = useApi('GET /testbeds').data?.items;
  const [isSharing, setIsSharing] = useState(false);
  const { id, status } = experiment;
  const finished = isFinished(status);
  // If too many runs are flagged, the primary action is to repeat them.
  const isPrimary = finished && noticeOfExperiment(experiment) === null;
  const testbed = testbeds?.find((item) => item.testbedId === experiment.testbedId);
  const share = () => setIsSharing(true);
  const openRun = useCallback(
    (runId: number) => navigate(`/experiments/${id}/runs/${runId}`),
    [navigate, id],
  );
  const origin = studyOriginOf(experiment.tags);
  const study = origin && canCompare(experiment) && (
    <ActionButton to={`/studies/${origin.studyId}/results/${id}`} icon={IconBook2}>
      Study
    </ActionButton>
  );
  const report = canCompare(experiment) && (
    <ActionButton to={`/experiments/${id}/report`} icon={IconReportAnalytics}>
      Report
    </ActionButton>
  );
  const compare = canCompare(experiment) && (
    <ActionButton
      to={`/compare?experiments=${id}`}
      className={isPrimary ? styles.primary : undefined}
      variant={isPrimary ? 'filled' : 'default'}
      icon={IconScale}
    >
      Compare
    </ActionButton>
  );
  return (
    <Page
      title={experimentTitle(experiment.name)}
      crumb={experimentCode(id)}
      breadcrumbs={breadcrumbs}
      layout={finished ? 'scroll' : 'fill'}
      badge={<ExperimentBadge experiment={experiment} showsFlagged={finished && !isPrimary} />}
      subtitle={describeWhen(experiment, testbed?.name ?? experiment.testbedId)}
      actions={
        <>
          {finished && compare}
          {finished && study}
          {finished && report}
          <ActionButton icon={IconShare3} onClick={share}>
            {finished ? 'Share' : 'Share live'}
          </ActionButton>
          <OfferButtons experiment={experiment} actions={actions} />
          {finished && <ExportMenu id={id} />}
        </>
      }
      phoneActions={
        <IconButton icon={IconShare3} label={finished ? 'Share' : 'Share live'} onClick={share} />
      }
      bottomBar={
        <>
          {finished && compare}
          {finished && study}
          {finished && report}
          <OfferButtons experiment={experiment} actions={actions} isShort />
        </>
      }
    >
      <ExperimentView
        experiment={experiment}
        nowMs={nowMs}
        live={live}
        comparison={comparison}
        series={series}
        onOpenRun={openRun}
      />
      <ShareDialog
        opened={isSharing}
        onClose={() => setIsSharing(false)}
        subject={{ kind: 'experiment', experimentId: id }}
        name={experimentTitle(experiment.name)}
      />
    </Page>
  );
}

/**
 * Icon and word of an experiment's status, as a pill next to its name. While the server is unreachable, it
 * shows the status as of the last contact.
 */
export function ExperimentBadge(props: {
  experiment: ExperimentSummary;
  showsFlagged: boolean;
}): ReactElement {
  const { experiment, showsFlagged } = props;
  const { kind, word } = describeStatus(experiment);
  if (!showsFlagged) return <CurrentBadge kind={kind} word={word} isFinal={isFinished(experiment.status)} />;
  return (
    <StatusBadge kind="flagged">
      {withFlagged(word ?? STATUS_KINDS[kind].word, experiment.progress)}
    </StatusBadge>
  );
}

/** Returns "since 14:00, Lab bench A", "20 Nov 11:48 to 12:40, Lab bench A". */
export function describeWhen(experiment: ExperimentSummary, testbedName: string): string {
  const { startedAt, startedBy, finishedAt, createdAt, imported } = experiment;
  const where = startedBy === null ? testbedName : `started by ${startedBy}, ${testbedName}`;
  if (imported) {
    return `run elsewhere, ${formatDateTime(startedAt ?? createdAt)}; imported from ${imported.from}`;
  }
  if (startedAt === null) return `created ${formatDateTime(createdAt)}, ${where}`;
  if (finishedAt === null) return `since ${when(startedAt)}, ${where}`;
  return `${formatDay(startedAt)} ${formatTimeOfDay(startedAt)} to ${formatTimeOfDay(finishedAt)}, ${where}`;
}

function when(ms: number): string {
  return formatDay(ms) === formatDay(Date.now()) ? formatTimeOfDay(ms) : formatDateTime(ms);
}

/** Returns the live data of one experiment. */
function useExperimentLive(experiment: ExperimentDetail): ExperimentLive {
  const { id, testbedId, runs } = experiment;
  const current = useLive((state) => state.current.find(({ run }) => run.experimentId === id)) ?? null;
  const testbed = useLive((state) => state.testbeds.find((item) => item.testbedId === testbedId));
  const reportedAt = useLive((state) => state.reportedAt[id]);
  const all = useLive((state) => state.log);
  const log = useMemo(() => all.filter((entry) => entry.experimentId === id), [all, id]);
  const earlier = useEarlierRuns(runs, current?.run ?? null);
  return useMemo(
    () => ({ current, log, earlier, testbed, reportedAt }),
    [current, log, earlier, testbed, reportedAt],
  );
}
