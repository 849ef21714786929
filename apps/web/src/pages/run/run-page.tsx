import { Button, Menu } from '@mantine/core';
import { isSettled, type RunDetail } from '@mqttlab/shared/domain/runs/run';
import {
  IconBraces,
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconFileTypeCsv,
  IconRefresh,
  IconScale,
  IconShare3,
} from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { api } from '../../api/client.ts';
import { noSuch } from '../../api/no-such.ts';
import { useExperiment, useRun } from '../../api/queries.ts';
import { parseId } from '../../live/parse-id.ts';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { offersFor } from '../experiment/experiment-offers.ts';
import { RunUnderWay } from '../experiment/run-under-way.tsx';
import { useExperimentActions } from '../experiment/use-experiment-actions.ts';
import { experimentCode } from '../experiments/describe-experiment.ts';
import { ShareDialog } from '../share/share-dialog.tsx';
import { describeRun, RunBadge, runTitle } from './run-head.tsx';
import { RunView } from './run-view.tsx';

const experimentsCrumb = { label: 'Experiments', to: '/experiments' };

export function RunPage(): ReactElement {
  const { id, runId } = useParams();
  const run = useRun(parseId(runId));
  if (run.data) return <LoadedRun run={run.data} />;
  return (
    <Page
      title={`Run ${runId}`}
      breadcrumbs={[experimentsCrumb, { label: `E-${id}`, to: `/experiments/${id}` }]}
    >
      {run.error || parseId(runId) === null ? (
        <ApiErrorState error={run.error ?? noSuch('run', runId)} onRetry={() => void run.refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </Page>
  );
}

function LoadedRun({ run }: { run: RunDetail }): ReactElement {
  const experiment = useExperiment(run.experimentId).data;
  const actions = useExperimentActions(run.experimentId);
  const [isSharing, setIsSharing] = useState(false);
  const retriedBy = experiment?.runs.find((other) => other.retryOf === run.id)?.id ?? null;
  const retryOffer = experiment && offersFor(experiment).find((offer) => offer.action === 'retry-failed');
  const share = () => setIsSharing(true);
  return (
    <Page
      title={runTitle(run)}
      crumb={`Run ${run.id}`}
      breadcrumbs={[
        experimentsCrumb,
        {
          label: `${experimentCode(run.experimentId)} ${run.experimentName}`,
          to: `/experiments/${run.experimentId}`,
        },
      ]}
      mark={<TreatmentMark index={run.treatment.mark} />}
      badge={<RunBadge run={run} />}
      subtitle={describeRun(run)}
      actions={
        <>
          <Neighbours run={run} />
          <Button
            component={Link}
            to={`/compare?experiments=${run.experimentId}`}
            variant="default"
            leftSection={<IconScale size={16} stroke={2} aria-hidden />}
          >
            Compare
          </Button>
          <RawData run={run} />
          <Button
            variant="default"
            leftSection={<IconShare3 size={16} stroke={2} aria-hidden />}
            onClick={share}
          >
            Share
          </Button>
        </>
      }
      phoneActions={<IconButton icon={IconShare3} label="Share" onClick={share} />}
      bottomBar={
        <>
          <Neighbours run={run} />
          <RawData run={run} />
        </>
      }
    >
      <RunView
        run={run}
        retriedBy={retriedBy}
        retry={
          retryOffer && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconRefresh size={16} stroke={2} aria-hidden />}
              loading={actions.pending === 'retry-failed'}
              onClick={() => actions.act(retryOffer)}
            >
              {retryOffer.label} of {experimentCode(run.experimentId)}
            </Button>
          )
        }
        underWay={isSettled(run.status) ? undefined : <RunUnderWay run={run} />}
      />
      <ShareDialog
        opened={isSharing}
        onClose={() => setIsSharing(false)}
        subject={{ kind: 'run', runId: run.id }}
        name={`run ${run.id}`}
        linkTitle={`Run ${run.trialNumber} of ${run.experimentName}`}
      />
    </Page>
  );
}

function Neighbours({ run }: { run: RunDetail }): ReactElement {
  const navigate = useNavigate();
  const open = (id: number | null) => id !== null && navigate(`/experiments/${run.experimentId}/runs/${id}`);
  const { previousRunId, nextRunId } = run;
  return (
    <Button.Group>
      <IconButton
        icon={IconChevronLeft}
        label={previousRunId === null ? 'No run before this one' : `Previous: run ${previousRunId}`}
        bordered
        disabled={previousRunId === null}
        onClick={() => open(previousRunId)}
      />
      <IconButton
        icon={IconChevronRight}
        label={nextRunId === null ? 'No run after this one' : `Next: run ${nextRunId}`}
        bordered
        disabled={nextRunId === null}
        onClick={() => open(nextRunId)}
      />
    </Button.Group>
  );
}

function RawData({ run }: { run: RunDetail }): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} stroke={2} aria-hidden />}>
          Raw data
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={api.runUrl(run.id, 'json')}
          download
          leftSection={<IconBraces size={16} stroke={2} aria-hidden />}
        >
          JSON: everything, with histograms
        </Menu.Item>
        <Menu.Item
          component="a"
          href={api.runUrl(run.id, 'csv')}
          download
          leftSection={<IconFileTypeCsv size={16} stroke={2} aria-hidden />}
        >
          CSV: series of every device
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
