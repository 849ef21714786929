import { Button } from '@mantine/core';
import { holmNote } from '@mqttlab/shared/analysis/contrasts';
import { levelNote } from '@mqttlab/shared/analysis/counting-runs';
import type { FlaggedNotice } from '@mqttlab/shared/analysis/flagged-runs';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { methodOf } from '@mqttlab/shared/analysis/result';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { Panel } from '../../ui/panel.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';
import { RunAgainButton } from './flagged-notice.tsx';

/** Number of displayed sentences; the effects panel shows all of them. */
const most = 3;

type FindingsPanelProps = {
  comparison: Comparison;
  model: ComparisonViewModel;
  /** Explains the flags; null if at most a third of the runs are flagged. */
  notice: FlaggedNotice | null;
  /** Experiments whose flagged runs can be run again; none on a read-only page. */
  experimentIds: readonly number[];
  /** Whether the headline is already shown above. */
  isAnswered?: boolean;
  onTakeFlagged(): void;
};

/**
 * The result in plain sentences, the clearest first. If valid runs allow no claim, shows the reason and a
 * remedy.
 */
export function FindingsPanel(props: FindingsPanelProps): ReactElement {
  const { comparison, model, isAnswered = false } = props;
  const { metric, contrasts, findings, usedRuns, allRuns, flaggedOut } = model;
  const [lead, ...rest] = findings.slice(0, most);
  const note = levelNote(model.shown);
  const excluded = comparison.excludedRuns ?? [];
  const failed = comparison.failedRuns > 0 ? `, ${formatCount(comparison.failedRuns)} failed` : '';
  const without = allRuns - flaggedOut - usedRuns;
  const left = [
    ...(flaggedOut > 0 ? [`${formatCount(flaggedOut)} flagged`] : []),
    ...(without > 0 ? [`${formatCount(without)} without this metric`] : []),
  ];
  return (
    <Panel padded>
      {isWithoutClaims(model) ? (
        <NoClaim {...props} />
      ) : (
        <>
          {!(isAnswered && lead) && (
            <p className={styles.lead}>
              {lead ? lead.headline : 'Choose at least two treatments to compare them.'}
            </p>
          )}
          {rest.map(({ headline }) => (
            <p key={headline} className={styles.more}>
              {headline}
            </p>
          ))}
        </>
      )}
      <p className={styles.method}>
        {formatCount(usedRuns)} of {formatCount(allRuns)} runs used
        {left.length > 0 ? `, left out: ${left.join(', ')}` : ''}
        {failed}
        {excluded.length > 0 && `, ${excluded.length} excluded manually (${describeExcluded(excluded)})`}. The
        run is the unit of inference: {methodOf(metric)}
        {note && `; ${note}`}, {holmNote(contrasts)}. {metric.help}
      </p>
    </Panel>
  );
}

/** Returns true if valid runs allow no claim about the chosen metric. */
export function isWithoutClaims({
  usedRuns,
  whyNothing,
}: Pick<ComparisonViewModel, 'usedRuns' | 'whyNothing'>): boolean {
  return usedRuns === 0 || whyNothing !== null;
}

/** Explains why no claim is made, with the causes and a remedy. */
function NoClaim({
  comparison,
  model,
  notice,
  experimentIds,
  onTakeFlagged,
}: FindingsPanelProps): ReactElement {
  return (
    <section aria-label={notice ? 'Flagged runs' : 'No comparison'}>
      <p className={styles.lead}>{model.usedRuns === 0 ? reasonWithoutValues(model) : model.whyNothing}</p>
      {notice && (
        <p className={styles.more}>
          {notice.why} {notice.unaffected} {notice.remedy}
        </p>
      )}
      {model.flagged && (
        <p className={styles.more}>The figures below are a preview that includes flagged runs.</p>
      )}
      {comparison.flaggedRuns > 0 && (
        <div className={`${styles.choices} ${styles.more}`}>
          <RunAgainButton experimentIds={experimentIds} flagged={comparison.flaggedRuns} isPrimary />
          {model.flaggedOut > 0 && (
            <Button variant="default" onClick={onTakeFlagged}>
              Show them anyway
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

/** Explains why no run is used. */
function reasonWithoutValues({ metric, allRuns, flaggedOut }: ComparisonViewModel): string {
  if (allRuns === 0) return 'No run of these treatments has finished yet.';
  const noun = nounOf(metric);
  if (flaggedOut === 0) return `No run here has a value for ${noun}. Choose another response above.`;
  const runs = flaggedOut === 1 ? 'The only run is' : `All ${flaggedOut} runs are`;
  const some = `${flaggedOut} of ${allRuns} runs are`;
  return flaggedOut === allRuns
    ? `${runs} flagged: a validity check failed, so no figure uses them.`
    : `${some} flagged: a validity check failed, so no figure uses them, and the others have no value of ${noun}.`;
}

/** Maximum number of reasons stated in full; the rest are counted. */
const maxReasons = 3;

function describeExcluded(excluded: NonNullable<Comparison['excludedRuns']>): string {
  const stated = excluded
    .slice(0, maxReasons)
    .map(({ runId, name = `run ${runId}`, reason }) => `${name}: ${reason}`);
  const rest = excluded.length - stated.length;
  return [...stated, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}
