import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { makeQuickDraft } from '../fixtures/experiments.ts';
import { Random } from './random.ts';

/** Whose process a fault meets. */
const victims = ['server', 'broker-agent', 'client-agent', 'broker', 'load'] as const;
export type Victim = (typeof victims)[number];

export type Fault =
  | { kind: 'kill'; victim: Victim }
  /** SIGTERM, and a new start. */
  | { kind: 'restart' }
  /** SIGSTOP and, so many ms later, SIGCONT. */
  | { kind: 'freeze'; victim: Victim; forMs: number }
  | { kind: 'fill-disk'; forMs: number }
  | { kind: 'jump-clock'; byS: number }
  /** Every connection between agents and server is reset, and none is let through for so long. */
  | { kind: 'cut'; forMs: number }
  /** The server dies while a run is collected, and its agents with it maybe: the results come late. */
  | { kind: 'late-results'; withAgents: boolean }
  /** A result that the server must refuse lies on a device when its agent is killed. */
  | { kind: 'refused-result' }
  /** A mount point inside the folder of a run, so that the agent cannot remove it for a while. */
  | { kind: 'unremovable-folder'; forMs: number }
  /** A capture that its device cannot read, or does not send at all, when the server fetches it. */
  | { kind: 'withheld-capture'; how: 'error' | 'silence' }
  /** The stored evidence of one run is damaged, and all runs are recomputed. */
  | { kind: 'damaged-row' }
  /** Agents end and their last packets do not arrive: to the server their connections are closing for so long. */
  | { kind: 'half-closed'; forMs: number };

export interface Step {
  /** Since the step before, or since the experiment began, ms. */
  afterMs: number;
  fault: Fault;
}

export interface Sequence {
  seed: number;
  draft: ExperimentDraft;
  steps: Step[];
}

/** What this machine allows. */
export interface Means {
  /** A disk of its own, for root. */
  disk: boolean;
  /** A network of its own, for root. */
  network: boolean;
  faketime: boolean;
  /** A program that captures packets, for root. */
  capture: boolean;
}

const bridged = {
  topology: ['re-encrypting bridge'],
  payloadCipher: ['chacha20-poly1305'],
  mqttVersion: ['5.0'],
};
const kinds = [
  'kill',
  'kill',
  'kill',
  'restart',
  'freeze',
  'fill-disk',
  'jump-clock',
  'cut',
  'late-results',
  'late-results',
  'refused-result',
  'unremovable-folder',
  'unremovable-folder',
  'withheld-capture',
  'withheld-capture',
  'damaged-row',
  'half-closed',
  'half-closed',
] as const;

/** The same for the same seed, so that what failed can be played again; what the machine lacks is left out. Pure. */
export function makeSequence(seed: number, means: Means): Sequence {
  const random = new Random(seed);
  const draft = makeDraft(random, means);
  const all = Array.from({ length: random.whole(1, 3) }, (): Step => {
    const afterMs = random.whole(0, 1_500);
    return { afterMs, fault: makeFault(random) };
  });
  const steps = all.filter(({ fault }) => isPossible(fault, means));
  const isCaptured = steps.some(({ fault }) => fault.kind === 'withheld-capture');
  return { seed, draft: isCaptured ? withCapture(draft) : draft, steps };
}

function makeDraft(random: Random, means: Means): ExperimentDraft {
  const security = random.pick([['plain'], ['TLS 1.3'], ['plain', 'TLS 1.3']]);
  const isBridged = random.chance(0.15);
  const isLossy = random.chance(0.2) && !isBridged && means.network;
  const base = makeQuickDraft();
  return {
    ...base,
    name: 'Chaos',
    factors: {
      security,
      cipherSuite: ['TLS_AES_256_GCM_SHA384'],
      qos: [1],
      rate: [random.pick([50, 200])],
      ...(isBridged ? bridged : {}),
      ...(isLossy ? { loss: [1] } : {}),
    },
    workload: { ...base.workload, warmUpMs: 100, measureMs: random.whole(200, 600), drainTimeoutMs: 1_000 },
    repetitions: random.whole(2, 3),
    // More than there are faults: each of them may meet the same trial, and one may cost two attempts.
    retries: 6,
  };
}

function withCapture(draft: ExperimentDraft): ExperimentDraft {
  return { ...draft, factors: { ...draft.factors, capture: ['headers'] } };
}

function makeFault(random: Random): Fault {
  const kind = random.pick(kinds);
  if (kind === 'kill') return { kind, victim: random.pick(victims) };
  if (kind === 'freeze') {
    return {
      kind,
      victim: random.pick(victims),
      forMs: random.whole(100, random.chance(0.1) ? 7_000 : 1_500),
    };
  }
  if (kind === 'fill-disk' || kind === 'cut' || kind === 'unremovable-folder') {
    return { kind, forMs: random.whole(100, 2_000) };
  }
  // Longer than the server waits for pongs, at times.
  if (kind === 'half-closed') return { kind, forMs: random.whole(100, random.chance(0.1) ? 20_000 : 6_000) };
  if (kind === 'withheld-capture') return { kind, how: random.chance(0.1) ? 'silence' : 'error' };
  if (kind === 'late-results') return { kind, withAgents: random.chance(0.5) };
  if (kind === 'jump-clock') return { kind, byS: random.pick([-3_600, -5, 5, 86_400]) };
  return { kind };
}

function isPossible({ kind }: Fault, { disk, network, faketime, capture }: Means): boolean {
  if (kind === 'fill-disk' || kind === 'unremovable-folder') return disk;
  if (kind === 'withheld-capture') return capture;
  if (kind === 'jump-clock') return faketime;
  return (kind !== 'cut' && kind !== 'half-closed') || network;
}

/** In words, for whoever reads what failed. */
export function describeStep({ afterMs, fault }: Step): string {
  const { kind, ...rest } = fault;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return `after ${afterMs} ms ${[kind, ...details].join(' ')}`;
}
