import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type Block, DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { findStudy } from '../studies.ts';

interface FinishedPart {
  partId: string;
  treatments: readonly ComparedTreatment[];
}

/** A table over several parts of a study; empty if it has none, or until each of these parts has runs. */
export function makeAcrossParts(studyId: string, parts: readonly FinishedPart[], flagged: boolean): Block[] {
  const across = findStudy(studyId)?.across;
  if (!across) return [];
  const own = parts.filter(
    ({ partId, treatments }) => across.parts.includes(partId) && treatments.length > 0,
  );
  if (own.length < across.parts.length) return [];
  const builder = new DocumentBuilder();
  builder.heading('Over all parts');
  builder.paragraph(across.text);
  builder.table(
    across.title,
    across.rows({ treatments: own.flatMap(({ treatments }) => treatments), flagged }),
  );
  return builder.blocks;
}
