import type { BlockInput } from '@mqttlab/charts/blocks/blocks';
import { addBlocks } from '@mqttlab/charts/blocks/draw';
import { type Block, DocumentBuilder } from '@mqttlab/charts/document/blocks';
import { radioCaption, radioTable } from '@mqttlab/charts/document/evidence-tables';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { plural } from '@mqttlab/shared/format/number';
import type { StudyOrigin } from '@mqttlab/shared/planning/study';
import { intervalWords } from '../claims/board.ts';
import { judgePart } from '../claims/judge-report.ts';
import { publishedBeside } from '../published.ts';
import { findPart, findStudy } from '../studies.ts';
import type { StudyInput } from './input.ts';
import { addOwnResults } from './own-results.ts';
import { addPublished } from './published-section.ts';
import { likelyReasons } from './reasons.ts';

/** True if the document or the claims of a part use the report of its experiment. */
export function needsReport(origin: Pick<StudyOrigin, 'studyId' | 'partId'>): boolean {
  return findPart(origin)?.needsReport ?? false;
}

/** Makes the page of one experiment: claims, figures and tables of its part, and notes on the whole study. */
export function makeStudyDocument(input: StudyInput): Block[] {
  const builder = new DocumentBuilder();
  const claims = hasRuns(input) ? judgePart(input.origin, input) : [];
  if (claims.length > 0) builder.paragraph(intervalWords);
  builder.claims(claims);
  addPart(builder, input);
  const part = input.study.parts.find(({ id }) => id === input.origin.partId);
  if (!hasRuns(input) || !part) return builder.blocks;
  if (part.gaps.length > 0) builder.heading('Not run');
  builder.list(part.gaps.map(({ what, reason }) => `${what}: ${reason}.`));
  addClosing(builder, [input]);
  return builder.blocks;
}

/** Makes the figures and tables of one part on the page of a study run, with notes only on this part. */
export function makePartDocument(input: StudyInput): Block[] {
  const builder = new DocumentBuilder();
  addPart(builder, input);
  return builder.blocks;
}

/** Makes the notes on several parts of a study run, without duplicate reasons; empty without runs. */
export function makeStudyClosing(inputs: readonly StudyInput[]): Block[] {
  const builder = new DocumentBuilder();
  addClosing(builder, inputs.filter(hasRuns));
  return builder.blocks;
}

function hasRuns({ treatments }: StudyInput): boolean {
  return treatments.some(({ runs }) => runs.length > 0);
}

function addPart(builder: DocumentBuilder, input: StudyInput): void {
  const { partId, scale } = input.origin;
  const note = input.study.parts.find(({ id }) => id === partId)?.notes[scale];
  if (note) builder.paragraph(`Scale ${scale}: ${note}`);
  const runs = input.treatments.flatMap((one) => one.runs);
  if (runs.length === 0) {
    builder.note('No run has finished yet, so there are no results to compare with the published values.');
    return;
  }
  if (!input.flagged && runs.every(({ flagged }) => flagged)) {
    const all = runs.length === 1 ? 'The only finished run is' : `All ${runs.length} finished runs are`;
    if (!runs.some(hasValue)) {
      builder.note(`${all} flagged. Include flagged runs to see results.`);
      return;
    }
    builder.note(
      `${all} flagged. Only values that the flags do not affect are shown. Include flagged runs to see the others.`,
    );
  }
  const most = Math.max(...input.treatments.map(({ runs: own }) => own.length));
  builder.paragraph(
    most < minRuns
      ? `${plural(most, 'run')} per configuration. Intervals need at least ${minRuns} runs.`
      : '',
  );
  const part = findPart(input.origin);
  if (part) addBlocks({ ...input, printed: printedFor(input) }, part.blocks, builder);
  else addOwnResults(input, builder);
  if (input.report) builder.table(radioCaption, radioTable(input.report));
  const { different = [], notStated = [] } = part ?? {};
  if (different.length + notStated.length > 0) builder.heading('Differences and gaps of this part');
  builder.list([...different, ...notStated]);
}

function addClosing(builder: DocumentBuilder, inputs: readonly StudyInput[]): void {
  const [first] = inputs;
  if (!first) return;
  const study = findStudy(first.origin.studyId);
  const merged = inputs.filter(({ origin }) => study?.across?.parts.includes(origin.partId));
  if (study?.across && merged.length === study.across.parts.length) {
    const { title, text, rows } = study.across;
    builder.heading('All parts');
    builder.paragraph(text);
    builder.table(title, rows({ ...first, treatments: merged.flatMap(({ treatments }) => treatments) }));
  }
  builder.heading('Differences from the published study');
  const reasons = inputs.flatMap((input) => likelyReasons(input, study?.reasons));
  builder.list([...new Set(reasons), ...(study?.different ?? [])]);
  if (study && study.notStated.length > 0) {
    builder.heading('Details not stated in the text');
    builder.list(study.notStated);
  }
  addPublished(builder, inputs);
}

/** Returns the study's published values next to its treatments. */
function printedFor({ origin: { studyId: study } }: StudyInput): NonNullable<BlockInput['printed']> {
  return (one, metric, treatment) =>
    publishedBeside(one.treatment, { study, metric, ...(treatment === undefined ? {} : { treatment }) })
      ?.value ?? null;
}

/** True if a flagged run still has unaffected values. */
function hasValue(run: ComparedTreatment['runs'][number]): boolean {
  return Object.entries(run.metrics).some(([id, value]) => value !== null && !isFlaggedForId(run, id));
}
