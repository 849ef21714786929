import { Button } from '@mantine/core';
import { holmNote } from '@mqttlab/shared/analysis/contrasts';
import { levelNote } from '@mqttlab/shared/analysis/counting-runs';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { methodOf } from '@mqttlab/shared/analysis/result';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ReactElement } from 'react';
import { Panel } from '../../ui/panel.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** Number of sentences shown; the effects panel has all of them. */
const most = 3;

type FindingsPanelProps = { comparison: Comparison; model: ComparisonViewModel; onTakeFlagged(): void };

/** The result in sentences, the clearest first. */
export function FindingsPanel({ comparison, model, onTakeFlagged }: FindingsPanelProps): ReactElement {
  const { metric, contrasts, findings, usedRuns, allRuns, flaggedOut, whyNothing } = model;
  const [lead, ...rest] = findings.slice(0, most);
  const note = levelNote(model.shown);
  const excluded = comparison.excludedRuns ?? [];
  const failed = comparison.failedRuns > 0 ? `, ${comparison.failedRuns} failed` : '';
  const without = allRuns - flaggedOut - usedRuns;
  const left = [
    ...(flaggedOut > 0 ? [`${flaggedOut} flagged`] : []),
    ...(without > 0 ? [`${without} without this metric`] : []),
  ];
  return (
    <Panel padded>
      {usedRuns === 0 ? (
        <NothingUsed model={model} onTakeFlagged={onTakeFlagged} />
      ) : whyNothing !== null ? (
        <>
          <p className={styles.lead}>{whyNothing}</p>
          {flaggedOut > 0 && <ShowAnyway onClick={onTakeFlagged} />}
          {model.flagged && (
            <p className={styles.more}>The figures below include flagged runs. They are a preview.</p>
          )}
        </>
      ) : (
        <p className={styles.lead}>
          {lead ? lead.headline : 'Choose at least two treatments to compare them.'}
        </p>
      )}
      {usedRuns > 0 &&
        whyNothing === null &&
        rest.map(({ headline }) => (
          <p key={headline} className={styles.more}>
            {headline}
          </p>
        ))}
      <p className={styles.method}>
        {usedRuns} of {allRuns} runs used
        {left.length > 0 ? `, left out: ${left.join(', ')}` : ''}
        {failed}
        {excluded.length > 0 && `, ${excluded.length} excluded by hand (${describeExcluded(excluded)})`}. The
        run is the unit of inference: {methodOf(metric)}
        {note && `; ${note}`}, {holmNote(contrasts)}. {metric.help}
      </p>
    </Panel>
  );
}

/** Maximum number of reasons listed; the rest are counted. */
const maxReasons = 3;

function describeExcluded(excluded: NonNullable<Comparison['excludedRuns']>): string {
  const told = excluded
    .slice(0, maxReasons)
    .map(({ runId, name = `run ${runId}`, reason }) => `${name}: ${reason}`);
  const rest = excluded.length - told.length;
  return [...told, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}

/** Explains a missing result and how to get one. */
function NothingUsed({
  model,
  onTakeFlagged,
}: Pick<FindingsPanelProps, 'model' | 'onTakeFlagged'>): ReactElement {
  const { metric, allRuns, flaggedOut } = model;
  if (allRuns === 0) return <p className={styles.lead}>No run of these treatments has finished yet.</p>;
  if (flaggedOut === 0) {
    return (
      <p className={styles.lead}>
        No run here has a value of {nounOf(metric)}. Choose another response above.
      </p>
    );
  }
  const runs = flaggedOut === 1 ? 'The only run is' : `All ${flaggedOut} runs are`;
  const some = `${flaggedOut} of ${allRuns} runs are`;
  return (
    <>
      <p className={styles.lead}>
        {flaggedOut === allRuns ? runs : some} flagged: a check of their validity failed, so no figure rests
        on them{flaggedOut === allRuns ? '' : `, and the others have no value of ${nounOf(metric)}`}.
      </p>
      <ShowAnyway onClick={onTakeFlagged} />
    </>
  );
}

/** Includes flagged runs, which the page then marks. */
function ShowAnyway({ onClick }: { onClick: () => void }): ReactElement {
  return (
    <p className={styles.more}>
      <Button size="compact-sm" variant="default" onClick={onClick}>
        Show flagged runs anyway
      </Button>
    </p>
  );
}
