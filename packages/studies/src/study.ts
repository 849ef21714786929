import type { Claim } from '@mqttlab/shared/analysis/claims/claim';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import type { Study, StudyPart } from '@mqttlab/shared/planning/study';
import type { PartPage } from './page/page.ts';

/** A part with its page. */
export interface PublishedPart extends StudyPart {
  page: PartPage;
}

/** A study of others: plans, claims and pages as data. */
export interface PublishedStudy extends Study {
  claims: readonly Claim[];
  parts: readonly PublishedPart[];
  /** A table over some parts together. */
  across?: {
    title: string;
    text: string;
    parts: readonly string[];
    rows(runs: { treatments: readonly ComparedTreatment[]; flagged: boolean }): DocumentTable;
  };
}
