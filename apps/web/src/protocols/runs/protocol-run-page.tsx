import { findProtocol } from '@mqttlab/shared/catalogue/protocols';
import { makeOwnProtocol } from '@mqttlab/shared/catalogue/protocols/own-protocol';
import type { ProtocolRun } from '@mqttlab/shared/protocol/protocols';
import { IconBan } from '@tabler/icons-react';
import { type ReactElement, useCallback, useState } from 'react';
import { useParams } from 'react-router';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { parseId } from '../../live/parse-id.ts';
import report from '../../report/report.module.css';
import { DangerButton } from '../../ui/danger-button.tsx';
import { formatDateTime } from '../../ui/format/time.ts';
import { Page } from '../../ui/shell/page.tsx';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { useCancelProtocolRun, useProtocolRun } from '../protocol-calls.ts';
import { ResultActions } from '../result/result-actions.tsx';
import result from '../result/result-view.module.css';
import { PartSection } from './part-section.tsx';
import { PartsProgress } from './parts-progress.tsx';

const breadcrumbs = [{ label: 'Protocols', to: '/protocols' }];

/** A protocol that was started as a whole: how far its parts are, and one document of all of them. */
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
  const { id, protocolId, title, testbedId, scale, createdAt, own, parts } = run;
  const cancel = useCancelProtocolRun();
  const [flagged, setFlagged] = useState<Readonly<Record<string, number>>>({});
  const tellFlagged = useCallback(
    (part: string, count: number) =>
      setFlagged((known) => (known[part] === count ? known : { ...known, [part]: count })),
    [],
  );
  const protocol = own ? makeOwnProtocol(own) : findProtocol(protocolId);
  const citation = protocol?.citation ?? '';
  return (
    <Page
      title={title}
      crumb={`Protocol run ${id}`}
      breadcrumbs={breadcrumbs}
      actions={
        <>
          {run.status === 'running' && (
            <DangerButton
              leftSection={<IconBan size={16} stroke={2} aria-hidden />}
              loading={cancel.isPending}
              onClick={() =>
                cancel.mutate(id, { onError: (problem) => showProblem('It was not cancelled', problem) })
              }
            >
              Cancel all parts
            </DangerButton>
          )}
          <ResultActions flaggedRuns={Object.values(flagged).reduce((sum, count) => sum + count, 0)} />
        </>
      }
    >
      <article className={`${report.document} ${result.document}`}>
        <header>
          <h2 className={report.title}>{title}</h2>
          <p className={report.when}>
            {citation ? `${citation} · ` : ''}Testbed {testbedId}, scale {scale}, started{' '}
            {formatDateTime(createdAt)}
          </p>
          <p className={report.question}>{protocol?.question}</p>
        </header>
        <PartsProgress run={run} />
        {protocol &&
          parts.map((part) => (
            <PartSection
              key={part.id}
              part={part}
              protocol={protocol}
              scale={scale}
              onFlagged={tellFlagged}
            />
          ))}
      </article>
    </Page>
  );
}
