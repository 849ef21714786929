import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import {
  type ExperimentDraft,
  planSchemaVersion,
  type Workload,
  workloadExtras,
} from '../../domain/plans/experiment-draft.ts';
import type { Refusal } from '../../domain/plans/factor.ts';
import type { ProtocolReference } from '../../domain/plans/study-file.ts';

/** smoke: in under 2 minutes. bench: in under 20. full: as published. */
export const protocolScales = ['smoke', 'bench', 'full'] as const;
export type ProtocolScale = (typeof protocolScales)[number];

/** Something of a study that cannot be run; shown before the start and on the result page. */
export interface ProtocolGap {
  what: string;
  reason: string;
}

/** What a testbed must have for everything of a study; without it the rest runs all the same. */
export interface ProtocolNeed {
  label: string;
  refuse(testbed: TestbedView): Refusal | null;
}

/** What a part sets of a draft; the rest is the same for every part. */
export interface PartPlan {
  factors: ExperimentDraft['factors'];
  workload: Pick<Workload, 'kind' | 'warmUpMs' | 'measureMs'> & Partial<Workload>;
  repetitions: number;
  sampleHz: ExperimentDraft['sampleHz'];
  response: string;
  /** Combinations that the study does not have. */
  leaveOut?: ExperimentDraft['leaveOut'];
  /** Studies leave these to the usual ones. */
  stopping?: ExperimentDraft['stopping'];
  order?: ExperimentDraft['order'];
  seed?: number;
  retries?: number;
}

export interface ProtocolPart {
  /** Stored in tags: never renamed. */
  id: string;
  title: string;
  question: string;
  gaps: readonly ProtocolGap[];
  /** What a scale leaves out or does otherwise than the study, as a sentence. */
  notes: Readonly<Record<ProtocolScale, string>>;
  /** null where nothing of it can be run: its gaps say why. */
  plan: ((testbed: TestbedView, scale: ProtocolScale) => PartPlan) | null;
  /** Of a protocol that somebody saved: its response, and what it gave where it was saved. */
  own?: { response: string; reference: ProtocolReference | null };
}

/** A published study as a ready plan. One file and one line in the list. */
export interface Protocol {
  id: string;
  title: string;
  question: string;
  /** Authors, place and year, as far as they are known. */
  citation: string;
  /** What the study ran on. */
  publishedTestbed: string;
  /** Whether the CPU of that testbed has AES instructions; null where that is not known. */
  publishedAes: boolean | null;
  needs: readonly ProtocolNeed[];
  /** Its reports judge stability over time. */
  asksForStability?: true;
  parts: readonly ProtocolPart[];
}

/** Same for everyone who runs it, so that two testbeds see the same order. */
const seed = 20_261_122;

export interface DraftChoice {
  protocol: Protocol;
  part: ProtocolPart;
  scale: ProtocolScale;
}

/** null for a part that cannot be run. */
export function makeProtocolDraft(
  { protocol, part, scale }: DraftChoice,
  testbed: TestbedView,
): ExperimentDraft | null {
  const plan = part.plan?.(testbed, scale);
  if (!plan) return null;
  return {
    schemaVersion: planSchemaVersion,
    name: `${protocol.title}: ${part.title} (${scale})`.slice(0, 200),
    question: part.question,
    tags: protocolTags({ protocolId: protocol.id, partId: part.id, scale }),
    notes: `${protocol.citation ? `After ${protocol.citation}. ` : ''}${part.notes[scale]}`.trim(),
    testbedId: testbed.testbedId,
    factors: plan.factors,
    workload: {
      drainTimeoutMs: 10_000,
      window: 1000,
      ...workloadExtras,
      ...plan.workload,
    },
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

export interface ProtocolOrigin {
  protocolId: string;
  partId: string;
  scale: ProtocolScale;
}

function protocolTags({ protocolId, partId, scale }: ProtocolOrigin): string[] {
  return [`protocol:${protocolId}`, `part:${partId}`, `scale:${scale}`];
}

/** Which part of which study an experiment is, by its tags; null where it is none. */
export function protocolOriginOf(tags: readonly string[]): ProtocolOrigin | null {
  const value = (name: string) =>
    tags.find((tag) => tag.startsWith(`${name}:`))?.slice(name.length + 1) ?? null;
  const [protocolId, partId] = [value('protocol'), value('part')];
  const scale = protocolScales.find((known) => known === value('scale'));
  return protocolId && partId && scale ? { protocolId, partId, scale } : null;
}

/** One value for each scale. */
export function byScale<T>(scale: ProtocolScale, values: readonly [smoke: T, bench: T, full: T]): T {
  return values[protocolScales.indexOf(scale)] ?? values[0];
}
