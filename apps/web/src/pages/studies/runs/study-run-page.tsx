import { Button } from '@mantine/core';
import type { ProtocolRun } from '@mqttlab/shared/messages/studies';
import { IconBan, IconShare3 } from '@tabler/icons-react';
import { type ReactElement, useCallback, useState } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { showProblem } from '../../../api/show-problem.tsx';
import { parseId } from '../../../live/parse-id.ts';
import { DangerButton } from '../../../ui/input/danger-button.tsx';
import { IconButton } from '../../../ui/input/icon-button.tsx';
import { Page } from '../../../ui/shell/page.tsx';
import { PageSkeleton } from '../../../ui/skeletons.tsx';
import { FlaggedSwitch, ReadingActions, useFlagged } from '../../report/reading-actions.tsx';
import { ShareDialog } from '../../share/share-dialog.tsx';
import { useCancelProtocolRun, useProtocolRun } from '../study-calls.ts';
import { PartResults } from './part-results.tsx';
import { RunDocument } from './run-document.tsx';

const breadcrumbs = [{ label: 'Protocols', to: '/protocols' }];

/** The page of one protocol run, live while it runs. */
export function ProtocolRunPage(): ReactElement {
  const { runId } = useParams();
  const number = parseId(runId);
  const { data, error, refetch } = useProtocolRun(number);
  if (data) return <LoadedRun run={data} />;
  const problem = number === null ? new Error(`“${runId}” is no number of a protocol run.`) : error;
  return (
    <Page title="Protocol run" breadcrumbs={breadcrumbs}>
      {problem ? <ApiErrorState error={problem} onRetry={() => void refetch()} /> : <PageSkeleton />}
    </Page>
  );
}

function LoadedRun({ run }: { run: ProtocolRun }): ReactElement {
  const { id, title, scale } = run;
  const cancel = useCancelProtocolRun();
  const takesFlagged = useFlagged();
  const [isSharing, setIsSharing] = useState(false);
  const [flagged, setFlagged] = useState<Readonly<Record<string, number>>>({});
  const tellFlagged = useCallback(
    (part: string, count: number) =>
      setFlagged((known) => (known[part] === count ? known : { ...known, [part]: count })),
    [],
  );
  const flaggedRuns = Object.values(flagged).reduce((sum, count) => sum + count, 0);
  const shareLabel = run.status === 'running' ? 'Share live' : 'Share';
  const cancelButton = run.status === 'running' && (
    <DangerButton
      leftSection={<IconBan size={16} stroke={2} aria-hidden />}
      loading={cancel.isPending}
      onClick={() =>
        cancel.mutate(id, { onError: (problem) => showProblem('It was not cancelled', problem) })
      }
    >
      Cancel all parts
    </DangerButton>
  );
  return (
    <Page
      title={title}
      crumb={`Protocol run ${id}`}
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
          <FlaggedSwitch flaggedRuns={flaggedRuns} label={`${flaggedRuns} flagged`} />
          <IconButton icon={IconShare3} label={shareLabel} onClick={() => setIsSharing(true)} />
        </>
      }
      bottomBar={cancelButton || undefined}
    >
      <RunDocument
        run={run}
        results={(part, protocol) => (
          <PartResults part={part} protocol={protocol} scale={scale} onFlagged={tellFlagged} />
        )}
      />
      <ShareDialog
        opened={isSharing}
        onClose={() => setIsSharing(false)}
        subject={{ kind: 'protocol', protocolRunId: id, flagged: takesFlagged }}
        name={`protocol run ${id}`}
        linkTitle={`${title}, ${scale} (protocol run ${id})`}
      />
    </Page>
  );
}
