import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type Block, DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { addBestTriple, ranked } from './cipher-suites.ts';

interface FinishedPart {
  partId: string;
  treatments: readonly ComparedTreatment[];
}

/** Parts that differ in suites and versions of TLS only. */
const alike = ['a', 'b'];

/** What a study asks over its parts together; empty where it asks nothing, or while there is but one of them. */
export function makeAcrossParts(studyId: string, parts: readonly FinishedPart[], flagged: boolean): Block[] {
  const own = parts.filter(({ partId, treatments }) => alike.includes(partId) && treatments.length > 0);
  if (studyId !== 'cipher-suites' || own.length < alike.length) return [];
  const builder = new DocumentBuilder();
  const treatments = own.flatMap((part) => part.treatments);
  const rows = ranked({ treatments, flagged }).filter(({ rate }) => rate > 0);
  builder.heading('Over all parts');
  builder.paragraph(
    'The first aim of the study: which QoS, suite and version of TLS carry most, over parts a and b, which differ in these only. On the means: a neighbour may be as good.',
  );
  addBestTriple(builder, rows, 'over parts a and b');
  return builder.blocks;
}
