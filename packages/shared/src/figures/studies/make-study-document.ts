import { type Block, DocumentBuilder } from '../document/blocks.ts';
import { bytesToState } from './bytes-to-state.ts';
import { layeredTable, payloadCiphersTable } from './payload-tables.ts';
import { likelyReasons } from './reasons.ts';
import { stabilityTable } from './stability-table.ts';
import type { StudyInput, StudySection } from './study-input.ts';
import { subscribersLine } from './subscribers-line.ts';
import { suitesTable } from './suites-table.ts';
import { v2xPhases } from './v2x-phases.ts';

/** What draws a part, by study and part. One line for each part that can be run. */
const sections: Readonly<Record<string, StudySection>> = {
  'rpi-broker/a': subscribersLine,
  'rpi-broker/b': bytesToState,
  'cipher-suites/a': suitesTable,
  'cipher-suites/b': suitesTable,
  'v2x-tls/a': v2xPhases,
  'stability-aware/a': stabilityTable,
  'hecs4mqtt/a': payloadCiphersTable,
  'hecs4mqtt/b': layeredTable,
};

/** Tables, figures and words of one part, from the runs of one experiment. */
export function makeStudyDocument(input: StudyInput): Block[] {
  const builder = new DocumentBuilder();
  const { protocolId, partId, scale } = input.origin;
  const part = input.protocol.parts.find(({ id }) => id === partId);
  const runs = input.treatments.flatMap((one) => one.runs);
  const valid = runs.filter(({ flagged }) => input.flagged || !flagged);
  if (part?.notes[scale]) builder.note(`Scale ${scale}: ${part.notes[scale]}`);
  if (valid.length === 0) {
    builder.note(
      runs.length === 0
        ? 'No run has finished yet: there is nothing to set beside the published values.'
        : `All ${runs.length} finished runs are flagged: nothing is shown unless flagged runs are taken in.`,
    );
    return builder.blocks;
  }
  sections[`${protocolId}/${partId}`]?.(input, builder);
  builder.heading('Likely reasons for differences');
  builder.list(likelyReasons(input));
  for (const { what, reason } of part?.gaps ?? []) builder.note(`Gap: ${what}: ${reason}.`);
  return builder.blocks;
}
