import { Button, Menu } from '@mantine/core';
import { studyOriginOf } from '@mqttlab/shared/catalogue/studies/study';
import { type ExperimentDetail, isFinished } from '@mqttlab/shared/domain/runs/experiment';
import {
  IconBook2,
  IconBraces,
  IconDownload,
  IconFileTypeCsv,
  IconFileTypeXml,
  IconReportAnalytics,
  IconScale,
  IconShare3,
} from '@tabler/icons-react';
import { type ReactElement, useCallback, useState } from 'react';
import { Link, Navigate, useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { api } from '../../api/client.ts';
import { noSuch } from '../../api/no-such.ts';
import { useComparison, useExperiment, useTestbeds } from '../../api/queries.ts';
import { parseId } from '../../live/parse-id.ts';
import { useServerNow } from '../../live/use-server-now.ts';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { canCompare, experimentCode, experimentTitle } from '../experiments/describe-experiment.ts';
import { ShareDialog } from '../share/share-dialog.tsx';
import { describeWhen, ExperimentBadge } from './experiment-head.tsx';
import { ExperimentView } from './experiment-view.tsx';
import styles from './live-page.module.css';
import { OfferButtons } from './offer-buttons.tsx';
import { useExperimentActions } from './use-experiment-actions.ts';
import { useExperimentLive } from './use-experiment-live.ts';

const breadcrumbs = [{ label: 'Experiments', to: '/experiments' }];

/** The page of an experiment that was started; a draft goes on in the wizard. */
export function LivePage(): ReactElement {
  const { id } = useParams();
  const number = parseId(id);
  const { data, error, refetch } = useExperiment(number);
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
  const comparison = useComparison(
    isFinished(experiment.status) ? { experiments: String(experiment.id) } : {},
  ).data;
  const actions = useExperimentActions(experiment.id);
  const testbeds = useTestbeds().data;
  const [isSharing, setIsSharing] = useState(false);
  const { id, status } = experiment;
  const finished = isFinished(status);
  const testbed = testbeds?.find((item) => item.testbedId === experiment.testbedId);
  const share = () => setIsSharing(true);
  const openRun = useCallback(
    (runId: number) => navigate(`/experiments/${id}/runs/${runId}`),
    [navigate, id],
  );
  const origin = studyOriginOf(experiment.tags);
  const study = origin && canCompare(experiment) && (
    <Button
      component={Link}
      to={`/studies/${origin.studyId}/results/${id}`}
      variant="default"
      leftSection={<IconBook2 size={16} stroke={2} aria-hidden />}
    >
      Study
    </Button>
  );
  const report = canCompare(experiment) && (
    <Button
      component={Link}
      to={`/experiments/${id}/report`}
      variant="default"
      leftSection={<IconReportAnalytics size={16} stroke={2} aria-hidden />}
    >
      Report
    </Button>
  );
  const compare = canCompare(experiment) && (
    <Button
      component={Link}
      to={`/compare?experiments=${id}`}
      className={finished ? styles.primary : undefined}
      variant={finished ? 'filled' : 'default'}
      leftSection={<IconScale size={16} stroke={2} aria-hidden />}
    >
      Compare
    </Button>
  );
  return (
    <Page
      title={experimentTitle(experiment.name)}
      crumb={experimentCode(id)}
      breadcrumbs={breadcrumbs}
      layout={finished ? 'scroll' : 'fill'}
      badge={<ExperimentBadge experiment={experiment} />}
      subtitle={describeWhen(experiment, testbed?.name ?? experiment.testbedId)}
      actions={
        <>
          {finished && compare}
          {finished && study}
          {finished && report}
          <Button
            variant="default"
            leftSection={<IconShare3 size={16} stroke={2} aria-hidden />}
            onClick={share}
          >
            {finished ? 'Share' : 'Share live'}
          </Button>
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

function ExportMenu({ id }: { id: number }): ReactElement {
  const icon = { size: 16, stroke: 2, 'aria-hidden': true } as const;
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload {...icon} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={api.exportUrl(id, 'csv')}
          download
          leftSection={<IconFileTypeCsv {...icon} />}
        >
          Runs as CSV
        </Menu.Item>
        <Menu.Item
          component="a"
          href={api.exportUrl(id, 'json')}
          download
          leftSection={<IconBraces {...icon} />}
        >
          Runs as JSON
        </Menu.Item>
        <Menu.Item
          component="a"
          href={api.planUrl(id, 'yaml')}
          download
          leftSection={<IconFileTypeXml {...icon} />}
        >
          Plan as YAML
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
