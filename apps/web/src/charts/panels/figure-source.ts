import type { Provenance } from '@mqttlab/charts/drawing/export';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { createContext } from 'react';

/** The experiment and the runs behind a page's figures, and `software` if a document names it. */
export type FigureSource = Partial<Omit<Provenance, 'date'>>;

/** Written into every file that is saved from the figures inside. */
export const FigureSourceContext = createContext<FigureSource | null>(null);

/** Counts the valid and flagged runs of treatments. */
export function countRuns(treatments: readonly Pick<ComparedTreatment, 'runs'>[]) {
  const runs = treatments.flatMap((treatment) => treatment.runs);
  const flagged = runs.filter((run) => run.flagged).length;
  return { valid: runs.length - flagged, flagged };
}
