import type { Study, StudyOrigin } from '../../catalogue/studies/study.ts';
import type { Report, StudyFacts } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { DocumentBuilder } from '../document/blocks.ts';
import type { Palette } from '../drawing/palette.ts';

/** What a result page is drawn from: the runs of one experiment, and nothing else. */
export interface StudyInput {
  study: Study;
  origin: StudyOrigin;
  treatments: readonly ComparedTreatment[];
  /** Includes runs with a failed verdict. */
  flagged: boolean;
  facts: StudyFacts;
  /** Of the same runs; null while it is not there, for sections that need no series. */
  report: Report | null;
  palette: Palette;
}

/** Draws one part of a study. */
export type StudySection = (input: StudyInput, builder: DocumentBuilder) => void;
