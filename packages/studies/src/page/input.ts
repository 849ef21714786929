import type { PageBlock as Block } from '@mqttlab/charts/blocks/blocks';
import type { Palette } from '@mqttlab/charts/drawing/palette';
import type { Report, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Study, StudyOrigin } from '@mqttlab/shared/planning/study';

/** What a result page is drawn from: the runs of one experiment, and nothing else. */
export interface StudyInput {
  study: Study;
  origin: StudyOrigin;
  treatments: readonly ComparedTreatment[];
  /** Includes runs with a failed verdict. */
  flagged: boolean;
  facts: StudyFacts;
  /** Of the same runs; null until it is made, and if nothing of the part needs it. */
  report: Report | null;
  palette: Palette;
}

export type PageBlock = Block<StudyInput>;
