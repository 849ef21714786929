import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type Block, DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { radioCaption, radioTable } from '@mqttlab/shared/figures/document/evidence-tables';
import { plural } from '@mqttlab/shared/format/number';
import type { StudyOrigin } from '@mqttlab/shared/planning/study';
import { availability } from './availability.ts';
import { bytesToState } from './bytes-to-state.ts';
import { cipherSuites } from './cipher-suites.ts';
import { eavesdropper } from './eavesdropper.ts';
import { ownResults } from './own-results.ts';
import { packetLoss } from './packet-loss.ts';
import { layered, tamperLog } from './payload-bridge.ts';
import { payloadCiphers } from './payload-ciphers.ts';
import { addPublished, addRemarks, type PublishedChoice } from './published-section.ts';
import { stability } from './stability/summary.ts';
import { likelyReasons, type ReasonKind } from './study-facts.ts';
import type { StudyInput, StudySection } from './study-input.ts';
import { subscribers } from './subscribers.ts';
import { v2xFullSpeed, v2xInstructions, v2xPhases } from './v2x-tls.ts';

interface Section extends PublishedChoice {
  draw: StudySection;
  reasons: readonly ReasonKind[];
  /** Draws from phases or series, which the report has. */
  needsReport?: true;
}

/** What draws a part and what its figures depend on, by study and part. One line for each part that can be run. */
const sections: Readonly<Record<string, Section>> = {
  'rpi-broker/a': { draw: subscribers, reasons: ['cpu', 'broker'], published: ['subscribers'] },
  'rpi-broker/b': { draw: bytesToState, reasons: ['broker'], published: ['bytes-to-state'] },
  'rpi-broker/c': { draw: packetLoss, reasons: ['broker', 'link'], published: ['loss'] },
  'rpi-broker/d': { draw: availability, reasons: ['broker'], needsReport: true },
  'rpi-broker/e': { draw: availability, reasons: ['broker'], needsReport: true },
  'rpi-broker/f': { draw: eavesdropper, reasons: ['broker', 'link'], needsReport: true },
  'cipher-suites/a': {
    draw: cipherSuites,
    reasons: ['cpu', 'link'],
    published: ['best-worst'],
    isShown: ({ treatment }) => treatment.includes('TLS 1.2'),
  },
  'cipher-suites/b': {
    draw: cipherSuites,
    reasons: ['cpu', 'link'],
    published: ['best-worst'],
    isShown: ({ treatment }) => treatment.includes('TLS 1.3'),
  },
  // Its published values belong to parts a and b, which say how they stand.
  'cipher-suites/c': { draw: cipherSuites, reasons: ['cpu', 'link'] },
  'cipher-suites/d': { draw: cipherSuites, reasons: ['cpu', 'link'] },
  'v2x-tls/a': { draw: v2xPhases, reasons: ['cpu', 'link', 'energy'], needsReport: true },
  'v2x-tls/c': { draw: v2xInstructions, reasons: ['cpu', 'link', 'energy'] },
  'v2x-tls/b': { draw: v2xFullSpeed, reasons: ['cpu', 'link', 'energy'] },
  'stability-aware/a': {
    draw: stability,
    reasons: ['cpu', 'broker', 'link', 'energy'],
    published: ['summary'],
    needsReport: true,
  },
  'hecs4mqtt/a': {
    draw: payloadCiphers,
    reasons: ['cpu', 'link'],
    published: ['publisher-run', 'bounds', 'approximate-entropy', 'approximate-entropy-rounds'],
  },
  'hecs4mqtt/b': { draw: layered, reasons: ['cpu', 'link'], published: ['subscriber-log'] },
  'hecs4mqtt/c': { draw: tamperLog, reasons: ['cpu', 'link'] },
  'hecs4mqtt/d': { draw: eavesdropper, reasons: ['cpu', 'link'], needsReport: true },
};

/** Of a study that somebody saved. */
const ownSection: Section = { draw: ownResults, reasons: ['cpu', 'broker', 'link', 'energy'] };

function sectionOf({ studyId, partId }: Pick<StudyOrigin, 'studyId' | 'partId'>): Section {
  return sections[`${studyId}/${partId}`] ?? ownSection;
}

/** Whether the document of a part draws from the report of its experiment too. */
export function needsReport(origin: Pick<StudyOrigin, 'studyId' | 'partId'>): boolean {
  return sectionOf(origin).needsReport ?? false;
}

/** Tables, figures and words of one part, from the runs of one experiment. */
export function makeStudyDocument(input: StudyInput): Block[] {
  const builder = new DocumentBuilder();
  const { studyId, partId, scale } = input.origin;
  const part = input.study.parts.find(({ id }) => id === partId);
  const runs = input.treatments.flatMap((one) => one.runs);
  if (part?.notes[scale]) builder.note(`Scale ${scale}: ${part.notes[scale]}`);
  if (runs.length === 0) {
    builder.note('No run has finished yet: there is nothing to set beside the published values.');
    return builder.blocks;
  }
  if (!input.flagged && runs.every(({ flagged }) => flagged)) {
    const all = runs.length === 1 ? 'The only finished run is' : `All ${runs.length} finished runs are`;
    if (!runs.some(hasValue)) {
      builder.note(`${all} flagged: nothing is shown unless flagged runs are included.`);
      return builder.blocks;
    }
    builder.note(
      `${all} flagged: shown is what the flags do not matter for; the rest is there where flagged runs are included.`,
    );
  }
  builder.paragraph(aboutIntervals(input));
  const section = sectionOf({ studyId, partId });
  section.draw(input, builder);
  builder.heading('Likely reasons for differences');
  builder.list(likelyReasons(input, section.reasons));
  addPublished(builder, input, section);
  if (input.report) builder.table(radioCaption, radioTable(input.report));
  addRemarks(builder, input);
  for (const { what, reason } of part?.gaps ?? []) builder.note(`Gap: ${what}: ${reason}.`);
  return builder.blocks;
}

/** Whether the flags of a run leave any of its values. */
function hasValue(run: ComparedTreatment['runs'][number]): boolean {
  return Object.entries(run.metrics).some(([id, value]) => value !== null && !isFlaggedForId(run, id));
}

/** What brackets after numbers are; too few runs of every configuration give none. */
function aboutIntervals({ treatments }: StudyInput): string {
  const most = Math.max(...treatments.map(({ runs }) => runs.length));
  return most < minRuns
    ? `${plural(most, 'run')} of each configuration: numbers have no interval, which needs at least ${minRuns} runs.`
    : 'In brackets: 95 % interval of the mean over runs.';
}
