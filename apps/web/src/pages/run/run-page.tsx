import { Button, Menu } from '@mantine/core';
import { type RunDetail, runCode } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { addressOf } from '@mqttlab/shared/messages/address';
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
import { useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { noSuch, parseId } from '../../api/no-such.ts';
import { useApi } from '../../api/use-api.ts';
import { RunUnderWay } from '../../live/current-run-panel.tsx';
import { ShareDialog } from '../../share/share-dialog.tsx';
import { experimentCode } from '../../ui/format.ts';
import { ActionButton, MenuActions } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { TreatmentMark } from '../../ui/treatment-mark.tsx';
import { offersFor, useExperimentActions } from '../experiment/offers.tsx';
import { describeRun, RunBadge, RunView, runTitle } from './run-view.tsx';

const experimentsCrumb = { label: 'Experiments', to: '/experiments' };

export function RunPage(): ReactElement {
  const { id, runId } = useParams();
  const number = parseId(runId);
  const run = useApi('GET /runs/{id}', number === null ? null : { params: { id: number } });
  if (run.data) return <LoadedRun run={run.data} />;
  return (
    <Page
      title={`Run ${runId}`}
      breadcrumbs={[experimentsCrumb, { label: `E-${id}`, to: `/experiments/${id}` }]}
    >
      {run.error || number === null ? (
        <ApiErrorState error={run.error ?? noSuch('run', runId)} onRetry={() => void run.refetch()} />
      ) : (
        <PageSkeleton />
      )}
    </Page>
  );
}

function LoadedRun({ run }: { run: RunDetail }): ReactElement {
  const experiment = useApi('GET /experiments/{id}', { params: { id: run.experimentId } }).data;
  const actions = useExperimentActions(run.experimentId);
  const [isSharing, setIsSharing] = useState(false);
  const retriedBy = experiment?.runs.find((other) => other.retryOf === run.id)?.id ?? null;
  const retryOffer = experiment && offersFor(experiment).find((offer) => offer.action === 'retry-failed');
  const share = () => setIsSharing(true);
  return (
    <Page
      title={runTitle(run)}
      crumb={`Run ${run.trialNumber}`}
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
          <ActionButton to={`/compare?experiments=${run.experimentId}`} icon={IconScale}>
            Compare
          </ActionButton>
          <RawData run={run} />
          <ActionButton icon={IconShare3} onClick={share}>
            Share
          </ActionButton>
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
            <ActionButton
              small
              icon={IconRefresh}
              loading={actions.pending === 'retry-failed'}
              onClick={() => actions.act(retryOffer)}
            >
              {retryOffer.label} of {experimentCode(run.experimentId)}
            </ActionButton>
          )
        }
        underWay={isSettled(run.status) ? undefined : <RunUnderWay run={run} />}
      />
      <ShareDialog
        opened={isSharing}
        onClose={() => setIsSharing(false)}
        subject={{ kind: 'run', runId: run.id }}
        name={runCode(run)}
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
        <ActionButton icon={IconDownload}>Raw data</ActionButton>
      </Menu.Target>
      <MenuActions
        groups={[
          [
            {
              label: 'JSON: everything, with histograms',
              icon: IconBraces,
              href: addressOf('GET /runs/{id}/raw.json', { params: { id: run.id } }),
            },
            {
              label: 'CSV: series of every device',
              icon: IconFileTypeCsv,
              href: addressOf('GET /runs/{id}/raw.csv', { params: { id: run.id } }),
            },
          ],
        ]}
      />
    </Menu>
  );
}
