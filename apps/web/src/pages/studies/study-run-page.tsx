import { Button } from '@mantine/core';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import type { Study, StudyScale } from '@mqttlab/shared/planning/study';
import { IconBan, IconShare3 } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { keyOf } from '../../api/client.ts';
import { parseId } from '../../api/no-such.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { useCall } from '../../api/use-call.ts';
import { ShareDialog } from '../../share/share-dialog.tsx';
import { DangerButton, IconButton } from '../../ui/input/buttons.tsx';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { FlaggedSwitch, ReadingActions, useFlagged } from '../report/reading-actions.tsx';
import { type DrawnInput, PartDocument, PendingReport, StudyClosing } from './documents/part-document.tsx';
import { RunDocument } from './documents/run-document.tsx';
import { RunPartAgain } from './documents/run-part-again.tsx';
import { StudyBoard } from './documents/study-board.tsx';
import { useStudyPart } from './documents/use-study-part.ts';

/** The live connection does not report the progress of study runs. */
const askEveryMs = 1500;

const breadcrumbs = [{ label: 'Studies', to: '/studies' }];

/** The page of a study run, updated live. */
export function StudyRunPage(): ReactElement {
  const { runId } = useParams();
  const number = parseId(runId);
  const { data, error, refetch } = useApi(
    'GET /study-runs/{id}',
    number === null ? null : { params: { id: number } },
    { refetchInterval: ({ state }) => (state.data?.status === 'running' ? askEveryMs : false) },
  );
  if (data) return <LoadedRun run={data} />;
  const problem = number === null ? new Error(`“${runId}” is not the number of a study run.`) : error;
  return (
    <Page title="Study run" breadcrumbs={breadcrumbs}>
      {problem ? <ApiErrorState error={problem} onRetry={() => void refetch()} /> : <PageSkeleton />}
    </Page>
  );
}

function LoadedRun({ run }: { run: StudyRun }): ReactElement {
  const { id, title, scale } = run;
  const cancel = useCall('POST /study-runs/{id}/actions/cancel', {
    changes: (cancelled, { params }, client) => {
      client.setQueryData(keyOf('GET /study-runs/{id}', { params }), cancelled);
      return ['GET /study-runs', 'GET /study-runs/{id}', 'GET /study-runs/{id}/board'];
    },
  });
  const takesFlagged = useFlagged();
  const [isSharing, setIsSharing] = useState(false);
  const [flagged, setFlagged] = useState<Readonly<Record<string, number>>>({});
  const tellFlagged = useCallback(
    (part: string, count: number) =>
      setFlagged((known) => (known[part] === count ? known : { ...known, [part]: count })),
    [],
  );
  const [measured, setMeasured] = useState<Readonly<Record<string, DrawnInput>>>({});
  const tellInput = useCallback(
    (input: DrawnInput) => setMeasured((known) => ({ ...known, [input.origin.partId]: input })),
    [],
  );
  const inputs = useMemo(() => run.parts.flatMap((part) => measured[part.id] ?? []), [run.parts, measured]);
  const flaggedRuns = Object.values(flagged).reduce((sum, count) => sum + count, 0);
  const shareLabel = run.status === 'running' ? 'Share live' : 'Share';
  const cancelButton = run.status === 'running' && (
    <DangerButton
      leftSection={<IconBan size={16} stroke={2} aria-hidden />}
      loading={cancel.isPending}
      onClick={() =>
        cancel.mutate(
          { params: { id } },
          { onError: (problem) => showProblem('The study run was not cancelled', problem) },
        )
      }
    >
      Cancel all parts
    </DangerButton>
  );
  return (
    <Page
      title={title}
      crumb={`Study run ${id}`}
      breadcrumbs={breadcrumbs}
      actions={
        <>
          {cancelButton}
          <ReadingActions flaggedRuns={flaggedRuns} />
          <Button
            variant="default"
            leftSection={<IconShare3 size={16} stroke={2} aria-hidden />}
            onClick={() => setIsSharing(true)}
          >
            {shareLabel}
          </Button>
        </>
      }
      phoneActions={
        <>
          <FlaggedSwitch flaggedRuns={flaggedRuns} isShort />
          <IconButton icon={IconShare3} label={shareLabel} onClick={() => setIsSharing(true)} />
        </>
      }
      bottomBar={cancelButton || undefined}
    >
      <RunDocument
        run={run}
        board={<LiveBoard run={run} />}
        results={(part, study) => (
          <PartResults part={part} study={study} scale={scale} onFlagged={tellFlagged} onInput={tellInput} />
        )}
        closing={<StudyClosing inputs={inputs} />}
      />
      <ShareDialog
        opened={isSharing}
        onClose={() => setIsSharing(false)}
        subject={{ kind: 'study', studyRunId: id, flagged: takesFlagged }}
        name={`study run ${id}`}
        linkTitle={`${title}, ${scale} (study run ${id})`}
      />
    </Page>
  );
}

/** The board of claims from the server, with a button to run missing parts. */
function LiveBoard({ run }: { run: StudyRun }): ReactElement | null {
  const { studyId, testbedId, scale, status, own } = run;
  const flagged = useFlagged();
  const board = useApi(
    'GET /study-runs/{id}/board',
    // Studies saved on this server have no claims.
    own === null ? { params: { id: run.id }, query: { flagged } } : null,
    {
      version: status,
      placeholderData: keepPreviousData,
      refetchInterval: status === 'running' ? 4 * askEveryMs : false,
    },
  );
  const start = useCall('POST /study-runs', { changes: ['GET /study-runs', 'GET /experiments'] });
  const navigate = useNavigate();
  if (board.error) return <ApiErrorState error={board.error} onRetry={() => void board.refetch()} />;
  if (!board.data) return null;
  const runAgain = (parts: string[]) =>
    start.mutate(
      { body: { studyId, testbedId, scale, parts } },
      {
        onSuccess: ({ id }) => navigate(`/studies/runs/${id}`),
        onError: (problem) => showProblem('The study was not started', problem),
      },
    );
  return (
    <StudyBoard
      board={board.data}
      isStarting={start.isPending}
      {...(status === 'running' ? {} : { onRunAgain: runAgain })}
    />
  );
}

type PartResultsProps = {
  part: StudyRunPart;
  study: Study;
  scale: StudyScale;
  /** Number of flagged runs. */
  onFlagged: (part: string, count: number) => void;
  onInput: (input: DrawnInput) => void;
};

/** The document of one part, from the current data. */
function PartResults({ part, study, scale, onFlagged, onInput }: PartResultsProps): ReactElement {
  const { id, experimentId } = part;
  const flagged = useFlagged();
  const { experiment, input, isReportPending, error, flaggedRuns, retry } = useStudyPart({
    study,
    flagged,
    experimentId,
    origin: { studyId: study.id, partId: id, scale },
  });
  useEffect(() => onFlagged(id, flaggedRuns), [id, flaggedRuns, onFlagged]);
  useEffect(() => {
    if (input) onInput(input);
  }, [input, onInput]);
  if (error) return <ApiErrorState error={error} onRetry={retry} />;
  if (isReportPending) return <PendingReport />;
  if (!input) return <PageSkeleton />;
  return <PartDocument input={input} afterNote={<RunPartAgain experiment={experiment} input={input} />} />;
}
