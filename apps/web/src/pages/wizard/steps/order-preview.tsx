import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { formatCount } from '@mqttlab/shared/format/number';
import type { ReactElement } from 'react';
import { TreatmentMark } from '../../../ui/treatment-mark.tsx';
import { useWizard } from '../model/wizard-context.tsx';
import styles from './order-preview.module.css';

/** The first blocks in execution order. */
export function OrderPreview(): ReactElement {
  const { planning } = useWizard();
  const { plan } = planning;
  if (!plan) return <p className="second">The order appears when the plan is complete.</p>;
  const { blocks, moreBlocks } = previewOrder(plan);
  const isLong = plan.treatments.some((treatment) => treatment.shortLabel.length > 28);
  return (
    <div className={styles.preview}>
      <ol className={styles.blocks} aria-label="Order of the first repetitions">
        {blocks.map((block) => (
          <li key={block.number} className={styles.block}>
            <span className={styles.number}>Repetition {block.number}</span>
            <ol className={styles.trials} data-long={isLong || undefined}>
              {block.trials.map((trial) => (
                <li key={trial.number} title={labelOf(plan, trial.treatmentKey)}>
                  <span className={styles.place}>{trial.number}</span>
                  <TreatmentMark index={trial.mark} variant="dot" />
                  <span>{trial.shortLabel}</span>
                </li>
              ))}
              {block.more > 0 && <li className={styles.more}>{formatCount(block.more)} more</li>}
            </ol>
          </li>
        ))}
      </ol>
      {moreBlocks > 0 && (
        <p className="second">
          And {formatCount(moreBlocks)} more {moreBlocks === 1 ? 'repetition' : 'repetitions'}.
        </p>
      )}
    </div>
  );
}

function labelOf(plan: Plan, key: string): string {
  return plan.treatments.find((treatment) => treatment.key === key)?.label ?? key;
}

const shownBlocks = 3;
const shownTrials = 12;

/** Returns the first trials of the first blocks of a plan. */
export function previewOrder(plan: Plan) {
  const byKey = new Map(plan.treatments.map((treatment) => [treatment.key, treatment]));
  const size = plan.treatments.length;
  const count = Math.min(shownBlocks, plan.repetitions);
  const perBlock = Math.min(shownTrials, size);
  const blocks = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    trials: plan.trials.slice(index * size, index * size + perBlock).map(({ number, treatmentKey }) => {
      const treatment = byKey.get(treatmentKey);
      return {
        number,
        treatmentKey,
        mark: treatment?.mark ?? 1,
        shortLabel: treatment?.shortLabel ?? treatmentKey,
      };
    }),
    // Number of trials in this block that are not shown.
    more: size - perBlock,
  }));
  return { blocks, moreBlocks: plan.repetitions - count };
}
