import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { TreatmentMark } from '../../../ui/treatment-mark.tsx';
import type { ComparisonViewModel } from '../comparison-view-model.ts';
import { toggled } from '../treatment-menu.tsx';
import styles from './compare.module.css';

export type MarkBarProps = {
  model: ComparisonViewModel;
  marked: readonly string[];
  onChange(marked: string[]): void;
};

/** Treatments to follow through every chart: the keyboard's way to what a click in a chart does. */
export function MarkBar({ model, marked, onChange }: MarkBarProps): ReactElement {
  return (
    <fieldset className={styles.marks}>
      <legend className="visually-hidden">Follow treatments through every chart</legend>
      {model.shown.map((entry) => (
        <button
          type="button"
          key={entry.id}
          className={styles.markChip}
          aria-pressed={marked.includes(entry.id)}
          onClick={() => onChange(toggled(marked, entry.id))}
        >
          <TreatmentMark index={model.identity(entry).index} variant="dot" />
          {[model.identity(entry).shortLabel, model.titleOf(entry)].filter(Boolean).join(', ')}
        </button>
      ))}
      {marked.length > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => onChange([])}>
          Follow none
        </Button>
      )}
    </fieldset>
  );
}
