import type { Report, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import type { Palette } from '@mqttlab/shared/figures/drawing/palette';
import type { Study, StudyOrigin } from '@mqttlab/shared/planning/study';

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
