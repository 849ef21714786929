import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { BlockInput } from '@mqttlab/shared/figures/blocks/blocks';
import { addBlocks } from '@mqttlab/shared/figures/blocks/draw';
import { type Block, DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { radioCaption, radioTable } from '@mqttlab/shared/figures/document/evidence-tables';
import { plural } from '@mqttlab/shared/format/number';
import type { StudyOrigin } from '@mqttlab/shared/planning/study';
import { publishedBeside } from '../published.ts';
import { findStudy } from '../studies.ts';
import type { StudyInput } from './input.ts';
import { addOwnResults } from './own-results.ts';
import type { PartPage } from './page.ts';
import { addPublished } from './published-section.ts';
import { likelyReasons, type ReasonKind } from './reasons.ts';

const everyReason: readonly ReasonKind[] = ['cpu', 'broker', 'link', 'energy'];

function pageOf({ studyId, partId }: Pick<StudyOrigin, 'studyId' | 'partId'>): PartPage | null {
  return findStudy(studyId)?.parts.find(({ id }) => id === partId)?.page ?? null;
}

/** True if the document or the claims of a part use the report of its experiment. */
export function needsReport(origin: Pick<StudyOrigin, 'studyId' | 'partId'>): boolean {
  return pageOf(origin)?.needsReport ?? false;
}

/** Tables, figures and words of one part, from the runs of one experiment. */
export function makeStudyDocument(input: StudyInput): Block[] {
  const builder = new DocumentBuilder();
  const { partId, scale } = input.origin;
  const part = input.study.parts.find(({ id }) => id === partId);
  const runs = input.treatments.flatMap((one) => one.runs);
  if (part?.notes[scale]) builder.note(`Scale ${scale}: ${part.notes[scale]}`);
  if (runs.length === 0) {
    builder.note('No run has finished yet: there is nothing to compare with the published values.');
    return builder.blocks;
  }
  if (!input.flagged && runs.every(({ flagged }) => flagged)) {
    const all = runs.length === 1 ? 'The only finished run is' : `All ${runs.length} finished runs are`;
    if (!runs.some(hasValue)) {
      builder.note(`${all} flagged: nothing is shown unless flagged runs are included.`);
      return builder.blocks;
    }
    builder.note(
      `${all} flagged: only values that the flags do not affect are shown. Include flagged runs to see the others.`,
    );
  }
  builder.paragraph(aboutIntervals(input));
  const page = pageOf(input.origin);
  if (page) addBlocks({ ...input, printed: printedFor(input) }, page.blocks, builder);
  else addOwnResults(input, builder);
  if (input.report) builder.table(radioCaption, radioTable(input.report));
  if (page?.published) addPublished(builder, input, page.published);
  builder.heading('What differs, and why');
  builder.list([...likelyReasons(input, page?.reasons ?? everyReason), ...(page?.different ?? [])]);
  const gaps = (part?.gaps ?? []).map(({ what, reason }) => `Not run: ${what}: ${reason}.`);
  if (page && page.unsaid.length + gaps.length > 0) {
    builder.heading('What the text does not say');
    builder.list([...page.unsaid, ...gaps]);
  }
  return builder.blocks;
}

/** Published values of the study next to its treatments. */
function printedFor({ origin: { studyId: study } }: StudyInput): NonNullable<BlockInput['printed']> {
  return (one, metric, treatment) =>
    publishedBeside(one.treatment, { study, metric, ...(treatment === undefined ? {} : { treatment }) })
      ?.value ?? null;
}

/** True if the flags of a run leave any of its values. */
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
