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
  | { kind: 'refused-result' };

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
] as const;

/** The same for the same seed, so that what failed can be played again; what the machine lacks is left out. Pure. */
export function makeSequence(seed: number, means: Means): Sequence {
  const random = new Random(seed);
  const draft = makeDraft(random, means);
  const steps = Array.from({ length: random.whole(1, 3) }, (): Step => {
    const afterMs = random.whole(0, 1_500);
    return { afterMs, fault: makeFault(random) };
  });
  return { seed, draft, steps: steps.filter(({ fault }) => isPossible(fault, means)) };
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
  if (kind === 'fill-disk' || kind === 'cut') return { kind, forMs: random.whole(100, 2_000) };
  if (kind === 'late-results') return { kind, withAgents: random.chance(0.5) };
  if (kind === 'jump-clock') return { kind, byS: random.pick([-3_600, -5, 5, 86_400]) };
  return { kind };
}

function isPossible({ kind }: Fault, { disk, network, faketime }: Means): boolean {
  if (kind === 'fill-disk') return disk;
  if (kind === 'jump-clock') return faketime;
  return kind !== 'cut' || network;
}

/** In words, for whoever reads what failed. */
export function describeStep({ afterMs, fault }: Step): string {
  const { kind, ...rest } = fault;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return `after ${afterMs} ms ${[kind, ...details].join(' ')}`;
}
