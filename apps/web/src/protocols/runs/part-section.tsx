import type { Protocol, ProtocolScale } from '@mqttlab/shared/catalogue/protocols/protocol';
import type { ProtocolRunPart } from '@mqttlab/shared/protocol/protocols';
import { type ReactElement, useEffect } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import report from '../../report/report.module.css';
import { PageSkeleton } from '../../ui/skeletons.tsx';
import { PartDocument } from '../result/part-document.tsx';
import { useTakesFlagged } from '../result/result-actions.tsx';
import { useStudyPart } from '../result/use-study-part.ts';
import styles from './part-section.module.css';

export type PartSectionProps = {
  part: ProtocolRunPart;
  protocol: Protocol;
  scale: ProtocolScale;
  /** How many of its runs a verdict flagged. */
  onFlagged: (part: string, count: number) => void;
};

/** One part of a protocol run: what it left out, then its document; a part that was not run is a gap. */
export function PartSection({ part, protocol, scale, onFlagged }: PartSectionProps): ReactElement {
  const { id, title, question, experimentId, leftOut } = part;
  return (
    <section className={styles.part} aria-label={`Part ${id}: ${title}`} id={`part-${id}`}>
      <h3 className={styles.title}>
        <span className={styles.letter}>{id}</span> {title}
      </h3>
      <p className={report.question}>{question}</p>
      {leftOut.length > 0 && (
        <details className={styles.leftOut} open={experimentId === null}>
          <summary>
            {experimentId === null ? 'Gap: not run, because' : `Left out on this testbed: ${leftOut.length}`}
          </summary>
          <ul>
            {leftOut.map(({ what, reason, remedy }) => (
              <li key={`${what} ${reason}`}>
                <b>{what}</b>: {reason}. {remedy}
              </li>
            ))}
          </ul>
        </details>
      )}
      {experimentId !== null && (
        <Results
          {...{ id, protocol, scale, experimentId, onFlagged }}
          isOver={part.status === 'done' || part.status === 'stopped' || part.status === 'cancelled'}
        />
      )}
    </section>
  );
}

type ResultsProps = Pick<PartSectionProps, 'protocol' | 'scale' | 'onFlagged'> & {
  id: string;
  experimentId: number;
  isOver: boolean;
};

function Results({ id, protocol, scale, experimentId, isOver, onFlagged }: ResultsProps): ReactElement {
  const flagged = useTakesFlagged();
  const { input, error, flaggedRuns, retry } = useStudyPart({
    ...{ protocol, flagged, experimentId },
    origin: { protocolId: protocol.id, partId: id, scale },
  });
  useEffect(() => onFlagged(id, flaggedRuns), [id, flaggedRuns, onFlagged]);
  if (error) return <ApiErrorState error={error} onRetry={retry} />;
  if (!input) return <PageSkeleton />;
  return (
    <>
      {!isOver && (
        <p className={report.note}>
          This part is not over: everything below is from the runs that ended so far.
        </p>
      )}
      <PartDocument input={input} numberPrefix={`${id}.`} />
    </>
  );
}
