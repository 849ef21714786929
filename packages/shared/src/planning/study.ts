import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { Refusal } from '../domain/factor.ts';
import { type ExperimentDraft, planSchemaVersion, type Workload } from '../domain/plans/experiment-draft.ts';
import type { StudyReference } from '../domain/plans/study-file.ts';
import { workloadDefaults } from '../domain/plans/workload.ts';

/** Scales of a study. smoke: under 2 minutes. bench: under 20 minutes. full: as published. */
export const studyScales = ['smoke', 'bench', 'full'] as const;
export type StudyScale = (typeof studyScales)[number];

/** An item of a study that cannot run; shown before the start and on the result page. */
interface StudyGap {
  what: string;
  reason: string;
}

/** A requirement of a study. On a testbed that does not meet it, the rest of the study still runs. */
export interface StudyNeed {
  label: string;
  refuse(testbed: TestbedView): Refusal | null;
}

/** Draft fields that a part sets; all other fields are the same for every part. */
export interface PartPlan {
  factors: ExperimentDraft['factors'];
  workload: Pick<Workload, 'kind' | 'warmUpMs' | 'measureMs'> & Partial<Workload>;
  repetitions: number;
  sampleHz: ExperimentDraft['sampleHz'];
  response: string;
  /** Combinations that the study does not include. */
  leaveOut?: ExperimentDraft['leaveOut'];
  /** Published studies use the defaults. */
  stopping?: ExperimentDraft['stopping'];
  order?: ExperimentDraft['order'];
  seed?: number;
  retries?: number;
}

export interface StudyPart {
  /** Stored in tags, so it must never change. */
  id: string;
  title: string;
  question: string;
  gaps: readonly StudyGap[];
  /** How a scale differs from the study, as a sentence. */
  notes: Readonly<Record<StudyScale, string>>;
  /**
   * Makes the plan at a scale. This field is null if the part cannot run; its gaps then contain the reason.
   */
  plan: ((testbed: TestbedView, scale: StudyScale) => PartPlan) | null;
  /** For a saved study: its response, and its result on the original testbed. */
  own?: { response: string; reference: StudyReference | null };
}

/** A published study as executable plans. To add a study, add its file and a line in the list. */
export interface Study {
  id: string;
  title: string;
  question: string;
  /** Authors, place and year, if known. */
  citation: string;
  /** Hardware and software of the study. */
  publishedTestbed: string;
  /** Whether the CPU of that testbed has AES instructions; null if unknown. */
  publishedAes: boolean | null;
  needs: readonly StudyNeed[];
  /** Whether the study's reports judge stability over time. */
  needsStability?: true;
  parts: readonly StudyPart[];
}

/** Seed that is the same on every testbed, so that runs have the same order. */
const seed = 20_261_122;

export interface DraftChoice {
  study: Study;
  part: StudyPart;
  scale: StudyScale;
}

/** Returns null for a part that cannot run. */
export function makeStudyDraft(
  { study, part, scale }: DraftChoice,
  testbed: TestbedView,
): ExperimentDraft | null {
  const plan = part.plan?.(testbed, scale);
  if (!plan) return null;
  return {
    schemaVersion: planSchemaVersion,
    name: `${study.title}: ${part.title} (${scale})`.slice(0, 200),
    question: part.question,
    tags: studyTags({ studyId: study.id, partId: part.id, scale }),
    notes: `${study.citation ? `After ${study.citation}. ` : ''}${part.notes[scale]}`.trim(),
    testbedId: testbed.testbedId,
    factors: plan.factors,
    workload: { drainTimeoutMs: 10_000, window: 1000, ...workloadDefaults, ...plan.workload },
    sampleHz: plan.sampleHz,
    repetitions: plan.repetitions,
    ...(plan.leaveOut ? { leaveOut: plan.leaveOut } : {}),
    stopping: plan.stopping ?? null,
    order: plan.order ?? 'random in block',
    seed: plan.seed ?? seed,
    response: plan.response,
    retries: plan.retries ?? 1,
  };
}

export interface StudyOrigin {
  studyId: string;
  partId: string;
  scale: StudyScale;
}

function studyTags({ studyId, partId, scale }: StudyOrigin): string[] {
  return [`study:${studyId}`, `part:${partId}`, `scale:${scale}`];
}

/** Returns an experiment's study and part, based on its tags; null if it does not belong to a study. */
export function studyOriginOf(tags: readonly string[]): StudyOrigin | null {
  const value = (name: string) =>
    tags.find((tag) => tag.startsWith(`${name}:`))?.slice(name.length + 1) ?? null;
  const [studyId, partId] = [value('study'), value('part')];
  const scale = studyScales.find((known) => known === value('scale'));
  return studyId && partId && scale ? { studyId, partId, scale } : null;
}

/** Returns the value for a scale. The full scale defaults to the value for the bench scale. */
export function byScale(scale: StudyScale): <T>(smoke: T, bench: T, full?: T) => T {
  return (smoke, bench, full = bench) => ({ smoke, bench, full })[scale];
}
