import { type Block, DocumentBuilder } from '../document/blocks.ts';
import { bytesToState } from './bytes-to-state.ts';
import { layeredTable, payloadCiphersTable } from './payload-tables.ts';
import { likelyReasons, type ReasonKind } from './reasons.ts';
import { stabilityTable } from './stability-table.ts';
import type { StudyInput, StudySection } from './study-input.ts';
import { subscribersLine } from './subscribers-line.ts';
import { suitesTable } from './suites-table.ts';
import { v2xPhases } from './v2x-phases.ts';

/** What draws a part and what its figures depend on, by study and part. One line for each part that can be run. */
const sections: Readonly<Record<string, { draw: StudySection; reasons: readonly ReasonKind[] }>> = {
  'rpi-broker/a': { draw: subscribersLine, reasons: ['cpu', 'broker'] },
  'rpi-broker/b': { draw: bytesToState, reasons: ['broker'] },
  'cipher-suites/a': { draw: suitesTable, reasons: ['cpu', 'link'] },
  'cipher-suites/b': { draw: suitesTable, reasons: ['cpu', 'link'] },
  'v2x-tls/a': { draw: v2xPhases, reasons: ['cpu', 'link', 'energy'] },
  'stability-aware/a': { draw: stabilityTable, reasons: ['cpu', 'broker', 'link', 'energy'] },
  'hecs4mqtt/a': { draw: payloadCiphersTable, reasons: ['cpu', 'link'] },
  'hecs4mqtt/b': { draw: layeredTable, reasons: ['cpu', 'link'] },
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
  const section = sections[`${protocolId}/${partId}`];
  section?.draw(input, builder);
  builder.heading('Likely reasons for differences');
  builder.list(likelyReasons(input, section?.reasons ?? []));
  for (const { what, reason } of part?.gaps ?? []) builder.note(`Gap: ${what}: ${reason}.`);
  return builder.blocks;
}
