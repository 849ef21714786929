import { Button } from '@mantine/core';
import type { StudyRun } from '@mqttlab/shared/messages/studies';
import { IconCompass, IconFileImport, IconPlayerPlay } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { answersExperiment, useApi, useCall } from '../../api/use-api.ts';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { ImportPlanDialog } from '../experiments/import-plan-dialog.tsx';
import { useTour } from '../experiments/tour-banner.tsx';
import { BrokenStudy } from './own-studies.tsx';
import styles from './studies-page.module.css';
import { StudyCard } from './study-card.tsx';

const importWords = {
  title: 'Import a study',
  label: 'Study, YAML or JSON',
  placeholder: 'kind: mqttlab study\nschemaVersion: 1\nid: ours\ntitle: Ours',
};

/** The gallery: the tour and the published studies, each a draft away from a run. */
export function StudiesPage(): ReactElement {
  const [chosen, setChosen] = useState<string | null>(null);
  const testbeds = useApi('GET /testbeds').data?.items ?? [];
  const { data, error, isPending, refetch } = useApi(
    'GET /studies',
    { query: { testbedId: chosen ?? undefined } },
    { placeholderData: keepPreviousData },
  );
  const draft = useCall('POST /studies/{id}/experiments', answersExperiment);
  const start = useCall('POST /study-runs', { changes: ['GET /study-runs', 'GET /experiments'] });
  const take = useCall('POST /studies/import', { changes: ['GET /studies'] });
  const [isImporting, setIsImporting] = useState(false);
  const navigate = useNavigate();
  const { variables } = draft;
  const pending =
    draft.isPending && variables
      ? `${variables.params.id}/${variables.body.part}/${variables.body.scale}`
      : start.isPending
        ? `${start.variables.body.studyId}/*/${start.variables.body.scale}`
        : null;
  return (
    <Page
      title="Studies"
      actions={
        <>
          {data && testbeds.length > 1 && (
            <SegmentedSwitch
              label="Testbed"
              value={chosen ?? data.testbedId}
              options={testbeds.map(({ testbedId, name }) => ({ value: testbedId, label: name }))}
              onChange={setChosen}
            />
          )}
          <Button
            variant="default"
            leftSection={<IconFileImport size={16} stroke={2} aria-hidden />}
            onClick={() => setIsImporting(true)}
          >
            Import
          </Button>
        </>
      }
    >
      <ImportPlanDialog
        opened={isImporting}
        onClose={() => setIsImporting(false)}
        hint="It then appears in the gallery."
        words={importWords}
        onImport={async (text) => void (await take.mutateAsync({ body: { text } }))}
      />
      <TourPanel />
      <StudyRunsPanel />
      {error && !data && <ApiErrorState error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <PageSkeleton />}
      {data?.items.map((study) =>
        study.broken ? (
          <BrokenStudy key={study.id} id={study.id} reason={study.broken} />
        ) : (
          <StudyCard
            key={study.id}
            study={study}
            pending={pending}
            onRun={(scale) =>
              start.mutate(
                { body: { studyId: study.id, testbedId: data.testbedId, scale } },
                {
                  onSuccess: ({ id }) => navigate(`/studies/runs/${id}`),
                  onError: (problem) => showProblem('Nothing was started', problem),
                },
              )
            }
            onOpen={(part, scale) =>
              draft.mutate(
                { params: { id: study.id }, body: { testbedId: data.testbedId, part, scale } },
                {
                  onSuccess: ({ id }) => navigate(`/experiments/${id}/edit`),
                  onError: (problem) => showProblem('No draft was made', problem),
                },
              )
            }
          />
        ),
      )}
    </Page>
  );
}

function TourPanel(): ReactElement {
  const tour = useTour();
  return (
    <Panel
      title="Tour: what does TLS cost?"
      subtitle="18 runs, under 90 s"
      mark={<IconCompass className={styles.mark} size={16} stroke={2} aria-hidden />}
      actions={
        <Button
          leftSection={<IconPlayerPlay size={16} stroke={2} aria-hidden />}
          loading={tour.isPending}
          onClick={tour.start}
        >
          Run the tour
        </Button>
      }
      padded
    >
      <p className={styles.text}>
        Plain MQTT, AES-256-GCM and ChaCha20-Poly1305 at QoS 0 and 1 on the built-in testbed: real agents, a
        real broker, real TLS. Below are the published studies. Each runs with one press, or opens part by
        part in the wizard, and ends on a page that shows its published tables and figures beside your own
        results. An experiment of yours becomes a study through its menu in the list of experiments.
      </p>
    </Panel>
  );
}

const shown = 6;
/** The live connection does not report the progress of study runs. */
const askEveryMs = 3000;

const isRunning = ({ status }: StudyRun) => status === 'running';

/** The last studies that were run as a whole; nothing before the first. */
function StudyRunsPanel(): ReactElement | null {
  const { data } = useApi(
    'GET /study-runs',
    {},
    { refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? askEveryMs : false) },
  );
  const runs = data?.items ?? [];
  if (runs.length === 0) return null;
  return (
    <Panel title="Study runs" subtitle="every part on one page" flush>
      <ul className={styles.runs}>
        {runs.slice(0, shown).map((run) => (
          <li key={run.id}>
            <Link className={styles.link} to={`/studies/runs/${run.id}`}>
              {run.title}
            </Link>
            <span className={styles.scale}>{run.scale}</span>
            <span className={styles.count}>{countOf(run)}</span>
            <StatusLine kind={run.status} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function countOf({ parts }: StudyRun): string {
  const known = parts.flatMap(({ progress }) => progress ?? []);
  const sum = (pick: (one: (typeof known)[number]) => number) =>
    known.reduce((total, one) => total + pick(one), 0);
  return `${sum(({ done }) => done)} of ${sum(({ trials }) => trials)} runs in ${known.length} ${known.length === 1 ? 'part' : 'parts'}`;
}
