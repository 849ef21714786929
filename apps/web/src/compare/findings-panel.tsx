import { contrastSentence } from '@mqttlab/shared/analysis/sentence';
import type { Comparison } from '@mqttlab/shared/domain/comparison';
import type { ReactElement } from 'react';
import { Panel } from '../ui/panel.tsx';
import styles from './compare.module.css';
import type { ComparisonViewModel } from './comparison-view-model.ts';

/** Sentences shown; the rest stands in the effects panel. */
const most = 3;

/** The result in plain sentences, largest resolved effect first, never stronger than the interval. */
export function FindingsPanel({
  comparison,
  model,
}: {
  comparison: Comparison;
  model: ComparisonViewModel;
}): ReactElement {
  const [lead, ...rest] = [...model.contrasts].sort((a, b) => weight(b) - weight(a)).slice(0, most);
  const left = model.allRuns - model.usedRuns;
  const failed = comparison.failedRuns > 0 ? `, ${comparison.failedRuns} failed` : '';
  return (
    <Panel padded>
      <p className={styles.lead}>
        {lead ? contrastSentence(lead, model.metric) : 'Choose at least two treatments to compare them.'}
      </p>
      {rest.map((contrast) => (
        <p key={contrast.treatment.id} className={styles.more}>
          {contrastSentence(contrast, model.metric)}
        </p>
      ))}
      <p className={styles.method}>
        {model.usedRuns} of {model.allRuns} runs used
        {left > 0 ? `, ${left} flagged or without this metric` : ''}
        {failed}. The run is the unit of inference: 95 % t intervals over run values, p after Holm over{' '}
        {model.contrasts.length} contrasts. {model.metric.help}
      </p>
    </Panel>
  );
}

/** Resolved effects first, by size against their interval. */
function weight({
  difference,
  lo,
  hi,
}: {
  difference: number | null;
  lo: number | null;
  hi: number | null;
}): number {
  if (difference === null || lo === null || hi === null) return -1;
  return Math.abs(difference) / Math.max(hi - lo, Number.MIN_VALUE);
}
