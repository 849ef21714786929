import type { Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ReactElement } from 'react';
import styles from './phase-strip.module.css';
import { burstPictureOf, stripPartsOf } from './workload-kinds.ts';

/** One run from left to right, each part as long as it lasts; under a burst workload its bursts. */
export function PhaseStrip({ workload }: { workload: Workload }): ReactElement {
  return (
    <div className={styles.frame}>
      <ol className={styles.strip} aria-label="Phases of one run">
        {stripPartsOf(workload).map(({ tone, name, words, weight }) => (
          <li key={name} data-tone={tone} style={{ flexGrow: weight }}>
            <b>{name}</b> <span>{words}</span>
          </li>
        ))}
      </ol>
      {workload.kind === 'burst' && <Bursts workload={workload} />}
    </div>
  );
}

function Bursts({ workload }: { workload: Workload }): ReactElement | null {
  const picture = burstPictureOf(workload);
  if (!picture) return null;
  return (
    <figure className={styles.bursts}>
      <div className={styles.track} aria-hidden data-cut={picture.isCut || undefined}>
        {picture.blocks.map(({ from, to }) => (
          <i key={from} style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }} />
        ))}
      </div>
      <figcaption>
        {picture.words}
        {picture.isCut && '; the picture shows the first 40'}
      </figcaption>
    </figure>
  );
}
