import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import {
  type StudyFile,
  type StudyFilePart,
  type StudyReference,
  studyFileSchema,
  studyFileVersion,
} from '@mqttlab/shared/domain/plans/study-file';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { SaveStudy } from '@mqttlab/shared/messages/studies';
import { findStudy } from '@mqttlab/studies/studies';
import * as YAML from 'yaml';
import { conflict, notFound, unprocessable } from '../../base/errors.ts';
import { type AnalysisStores, makeComparison } from '../../results/compare.ts';
import type { ExperimentRecord } from '../../store/experiments/experiment-store.ts';
import { longYamlAsJson, readDocument } from '../documents.ts';
import { fileNameOf, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { recordOf } from '../start-experiment.ts';

const longestId = 24;

/** Handles custom studies: made from experiments, shared as files. */
export function ownStudyRoutes(services: Services): Route[] {
  const { studies } = services.stores;
  const isTaken = (id: string) => studies.findStudyText(id) !== null || findStudy(id) !== undefined;
  const isBroken = (id: string) => studies.listBrokenStudies().some((broken) => broken.id === id);
  const ownOf = (id: string): StudyFile => {
    const file = studies.findOwnStudy(id);
    if (file) return file;
    if (findStudy(id)) {
      throw conflict(
        `${id} is a study included with mqttlab, not one of your own.`,
        'Choose one of your own.',
      );
    }
    throw notFound('study', id);
  };
  /** A file that is imported twice stays one study; a different file with that name gets a number. */
  const keep = (file: StudyFile): StudyFile => {
    const known = isBroken(file.id) ? null : studies.findOwnStudy(file.id);
    if (known && JSON.stringify(known) === JSON.stringify(file)) return known;
    const kept = { ...file, id: freeId(file.id, isTaken) };
    studies.addOwnStudy(kept);
    return kept;
  };
  return [
    on('POST /studies', async ({ body: { experimentIds, ...words } }) => {
      const records = experimentIds.map((id) => recordOf(services, id, { live: true }));
      const made = await makeOwnStudy(services.stores, records, { ...words, id: idOf(words.title) });
      const file = checked({ ...made, id: freeId(made.id, isTaken) });
      studies.addOwnStudy(file);
      return file;
    }),
    on('POST /studies/import', async ({ body: { text } }) => keep(await takeStudyFile(text))),
    ...(['yaml', 'json'] as const).map((format) =>
      on(`GET /studies/{id}/study.${format}`, ({ params: { id } }) => {
        const stored = isBroken(id) ? studies.findStudyText(id) : null;
        if (stored !== null) {
          const name = fileNameOf('study', id, format);
          return { name, body: stored };
        }
        const file = ownOf(id);
        const name = fileNameOf('study', file.title, format);
        return { name, body: writeStudyFile(file, format) };
      }),
    ),
    on('DELETE /studies/{id}', ({ params: { id } }) => {
      studies.removeOwnStudy(isBroken(id) ? id : ownOf(id).id);
    }),
  ];
}

/** Throws a 422 problem if the file made from these experiments could not be read back. */
function checked(file: StudyFile): StudyFile {
  const parsed = studyFileSchema.safeParse(file);
  if (parsed.success) return parsed.data;
  throw unprocessable('A study cannot be made from these experiments.', issuesOf(parsed.error));
}

function idOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestId)
    .replace(/^-+|-+$/g, '');
  return words || 'study';
}

function freeId(wanted: string, isTaken: (id: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const ending = number === 1 ? '' : `-${number}`;
    const id = wanted.slice(0, longestId - ending.length) + ending;
    if (!isTaken(id)) return id;
  }
}

const refused = 'The study file is not valid.';
const studyKind = { detail: refused, what: 'a study file', newest: studyFileVersion };

function writeStudyFile(file: StudyFile, format: 'yaml' | 'json'): string {
  return format === 'yaml' ? YAML.stringify(file, { lineWidth: 110 }) : `${JSON.stringify(file, null, 2)}\n`;
}

/** Reads a study in the exact export format, YAML or JSON. Throws a 422 problem that names the field. */
function parseStudyFile(text: string): StudyFile {
  const parsed = studyFileSchema.safeParse(readDocument(text, studyKind));
  if (parsed.success) return parsed.data;
  throw unprocessable(refused, issuesOf(parsed.error));
}

/** Reads a text of any length without blocking other requests. */
async function takeStudyFile(text: string): Promise<StudyFile> {
  return parseStudyFile(await longYamlAsJson(text, studyKind));
}

/** Metrics to include with an experiment's response if they were measured. */
const companions = [
  'latency.p50',
  'latency.mean',
  'rate.messages',
  'setUp.total',
  'cpu.broker',
  'cpu.publisher',
  'energyPerMessage.total',
];

/**
 * Returns the experiments as a study, with a part for each and the figures from its valid runs. An experiment
 * that has not been run yet becomes a part without figures to compare with.
 */
async function makeOwnStudy(
  stores: AnalysisStores,
  records: readonly ExperimentRecord[],
  { id, title, question, source }: Omit<SaveStudy, 'experimentIds'> & { id: string },
): Promise<StudyFile> {
  const parts: StudyFilePart[] = [];
  for (const [index, record] of records.entries()) {
    parts.push(await partOf(stores, record, String.fromCharCode(97 + index)));
  }
  const machine = parts.flatMap(({ reference }) => reference ?? [])[0];
  const words = [machine?.cpuModel, machine?.broker].filter(Boolean);
  return {
    kind: 'mqttlab study',
    schemaVersion: studyFileVersion,
    id,
    title,
    question: question || (parts[0]?.question ?? ''),
    source,
    testbed: words.length > 0 ? words.join(', ').slice(0, 300) : 'Unknown: not run when the study was saved',
    parts,
  };
}

async function partOf(
  stores: AnalysisStores,
  { id, draft, status }: ExperimentRecord,
  letter: string,
): Promise<StudyFilePart> {
  const { name, question, notes, schemaVersion: _, tags: __, testbedId: ___, ...plan } = draft;
  return {
    id: letter,
    title: name.trim().slice(0, 120).trim() || `Experiment ${id}`,
    question,
    notes: notes.slice(0, 4000),
    plan,
    reference: status === 'draft' ? null : await referenceOf(stores, id, plan.response),
  };
}

async function referenceOf(
  stores: AnalysisStores,
  id: number,
  response: string,
): Promise<StudyReference | null> {
  const { treatments, experiments } = await makeComparison(stores, { experiments: String(id) });
  const first = treatments.flatMap(({ runs }) => runs)[0];
  if (!first) return null;
  const environment = stores.runs
    .listRoleResults(first.runId)
    .find(({ role }) => role === 'publisher')?.environment;
  const model = environment?.['cpu.model'];
  const features = environment?.['cpu.features'];
  const broker = treatments[0]?.treatment.levels.broker;
  const varied = Object.keys(treatments[0]?.treatment.levels ?? {}).filter(
    (factor) => new Set(treatments.map(({ treatment }) => treatment.levels[factor] ?? null)).size > 1,
  );
  return {
    measuredAt: experiments[0]?.finishedAt ?? null,
    cpuModel: typeof model === 'string' ? model.slice(0, 200) : null,
    aes: typeof features === 'string' ? features.split(' ').includes('aes') : null,
    broker:
      broker === undefined || broker === null ? null : (findFactor('broker')?.levelLabel(broker) ?? null),
    metrics: [...new Set([response, ...companions])].flatMap((metric) =>
      referenceMetric(treatments, metric, varied),
    ),
  };
}

function referenceMetric(
  treatments: readonly ComparedTreatment[],
  id: string,
  varied: readonly string[],
): StudyReference['metrics'] {
  const metric = findMetric(id);
  if (!metric) return [];
  const values = estimateTreatments(treatments, { metric, flagged: false }).flatMap(
    ({ treatment: { treatment }, estimate: { value: mean, lo, hi, n } }) =>
      mean === null
        ? []
        : [
            {
              label: treatment.shortLabel.slice(0, 200),
              levels: Object.fromEntries(varied.map((factor) => [factor, treatment.levels[factor] ?? null])),
              mean,
              lo,
              hi,
              runs: n,
            },
          ],
  );
  return values.length > 0 ? [{ metric: id, label: metric.label, unit: metric.unit, values }] : [];
}
