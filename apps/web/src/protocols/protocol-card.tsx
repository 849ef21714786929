import { Button } from '@mantine/core';
import { pagePalette } from '@mqttlab/shared/figures/palette';
import { sketchOf } from '@mqttlab/shared/figures/studies/sketch';
import type { ProtocolPartView, ProtocolView } from '@mqttlab/shared/protocol/protocols';
import { type ReactElement, useMemo } from 'react';
import { PictureView } from '../report/picture-view.tsx';
import { formatDuration } from '../ui/format/duration.ts';
import { Panel } from '../ui/panel.tsx';
import styles from './protocol-card.module.css';

type Scale = ProtocolPartView['scales'][number]['scale'];

export type ProtocolCardProps = {
  protocol: ProtocolView;
  /** The choice whose draft is being made; null while there is none. */
  pending: string | null;
  onOpen: (part: string, scale: Scale) => void;
};

/** One study: its question, testbed and published figures, its parts with their cost, and what is left out here. */
export function ProtocolCard({ protocol, pending, onOpen }: ProtocolCardProps): ReactElement {
  const { id, title, question, citation, publishedTestbed, parts } = protocol;
  const sketch = useMemo(() => sketchOf(id, pagePalette), [id]);
  return (
    <Panel title={title} subtitle={citation} flush>
      <div className={styles.about}>
        <div className={styles.words}>
          <p className={styles.question}>{question}</p>
          <p className={styles.testbed}>
            <b>Published on</b> {publishedTestbed}
          </p>
        </div>
        <div className={styles.sketch}>
          {sketch ? (
            <>
              <PictureView picture={sketch} />
              <p className={styles.caption}>Hollow diamonds: published values.</p>
            </>
          ) : (
            <p className={styles.caption}>Only the abstract is public: there are no figures to draw.</p>
          )}
        </div>
      </div>
      <div className={styles.parts}>
        <div className={styles.head} aria-hidden>
          <span>Part</span>
          <span>Open as smoke, bench or full</span>
        </div>
        {parts.map((part) => (
          <Part key={part.id} id={id} part={part} pending={pending} onOpen={onOpen} />
        ))}
      </div>
    </Panel>
  );
}

type PartProps = Omit<ProtocolCardProps, 'protocol'> & { id: string; part: ProtocolPartView };

function Part({ id, part, pending, onOpen }: PartProps): ReactElement {
  const { title, question, scales, leftOut } = part;
  const isGap = scales.length === 0;
  return (
    <section className={styles.part} aria-label={`Part ${part.id}: ${title}`}>
      <div className={styles.what}>
        <p className={styles.title}>
          <span className={styles.letter}>{part.id}</span> {title}
        </p>
        <p className={styles.asks}>{question}</p>
      </div>
      {isGap ? (
        <span className={styles.gap}>Gap: cannot be run yet</span>
      ) : (
        <div className={styles.scales}>
          {scales.map(({ scale, runs, durationMs, note }) => {
            const key = `${id}/${part.id}/${scale}`;
            return (
              <Button
                key={scale}
                variant="default"
                className={styles.scale}
                loading={pending === key}
                disabled={pending !== null && pending !== key}
                title={note}
                aria-label={`Open part ${part.id}, ${title}, at ${scale} scale: ${runs} runs, ${formatDuration(durationMs)}`}
                onClick={() => onOpen(part.id, scale)}
              >
                <span>
                  {scale} <small>{formatDuration(durationMs)}</small>
                </span>
              </Button>
            );
          })}
        </div>
      )}
      {leftOut.length > 0 && <LeftOut part={part} isGap={isGap} />}
    </section>
  );
}

/** Long lists fold; a part that cannot be run says why at once. */
function LeftOut({ part: { leftOut }, isGap }: { part: ProtocolPartView; isGap: boolean }): ReactElement {
  return (
    <details className={styles.leftOut} open={isGap}>
      <summary>{isGap ? 'Why' : `Left out on this testbed: ${leftOut.length}`}</summary>
      <ul>
        {leftOut.map(({ what, reason, remedy }) => (
          <li key={what}>
            <b>{what}</b>: {reason}. {remedy}
          </li>
        ))}
      </ul>
    </details>
  );
}
