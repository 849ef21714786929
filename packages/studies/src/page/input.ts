import type { PageBlock as Block } from '@mqttlab/charts/blocks/blocks';
import type { Palette } from '@mqttlab/charts/drawing/palette';
import type { Report, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Study, StudyOrigin } from '@mqttlab/shared/planning/study';

/** Data for a result page: the runs of one experiment only. */
export interface StudyInput {
  study: Study;
  origin: StudyOrigin;
  treatments: readonly ComparedTreatment[];
  /** Includes runs with a failed verdict. */
  flagged: boolean;
  facts: StudyFacts;
  /** Report on the same runs; null until it is computed, or if the part does not need it. */
  report: Report | null;
  palette: Palette;
}

export type PageBlock = Block<StudyInput>;
