import { estimateTreatments } from '@mqttlab/shared/analysis/contrasts';
import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import {
  type StudyFile,
  type StudyFilePart,
  type StudyReference,
  studyFileVersion,
} from '@mqttlab/shared/domain/plans/study-file';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { SaveStudy } from '@mqttlab/shared/messages/studies';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import { makeComparison } from './compare.ts';
import type { AnalysisStores } from './select-runs.ts';

/** Beside the response of an experiment, where they were measured. */
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
 * The experiments as a study, a part for each, with what their valid runs gave. An experiment that has not run yet
 * becomes a part without figures to compare with.
 */
export async function makeOwnStudy(
  stores: AnalysisStores,
  records: readonly ExperimentRecord[],
  { id, title, question, source }: Omit<SaveStudy, 'experimentIds'> & { id: string },
): Promise<StudyFile> {
  const parts: StudyFilePart[] = [];
  for (const [index, record] of records.entries()) {
    parts.push(await partOf(stores, record, String.fromCharCode(97 + index)));
  }
  const told = parts.flatMap(({ reference }) => reference ?? [])[0];
  const words = [told?.cpuModel, told?.broker].filter(Boolean);
  return {
    kind: 'mqttlab study',
    schemaVersion: studyFileVersion,
    id,
    title,
    question: question || (parts[0]?.question ?? ''),
    source,
    testbed: words.length > 0 ? words.join(', ').slice(0, 300) : 'Not told: it had not run when it was saved',
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
  const environment = stores.runs.results(first.runId).find(({ role }) => role === 'publisher')?.environment;
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
