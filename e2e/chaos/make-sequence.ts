import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import { makeQuickDraft } from '../fixtures/experiments.ts';
import { Random } from './random.ts';

/** Process that a fault affects. */
const victims = ['server', 'broker-agent', 'client-agent', 'broker', 'load'] as const;
export type Victim = (typeof victims)[number];

export type Fault =
  | { kind: 'kill'; victim: Victim }
  /** SIGTERM and restart. */
  | { kind: 'restart' }
  /** SIGSTOP and, after `ms`, SIGCONT. */
  | { kind: 'freeze'; victim: Victim; forMs: number }
  | { kind: 'fill-disk'; forMs: number }
  | { kind: 'jump-clock'; byS: number }
  /** Resets every connection between agents and server and blocks new ones for a time. */
  | { kind: 'cut'; forMs: number }
  /** Kills the server during collection, optionally with its agents, so that results arrive late. */
  | { kind: 'late-results'; withAgents: boolean }
  /** Places a result on a device that the server must refuse, and kills the agent. */
  | { kind: 'refused-result' }
  /** Mounts a disk inside a run folder, so that the agent cannot remove it for a time. */
  | { kind: 'unremovable-folder'; forMs: number }
  /** A capture that its device cannot read or does not send when the server fetches it. */
  | { kind: 'withheld-capture'; how: 'error' | 'silence' }
  /** Damages the stored evidence of one run and recomputes all runs. */
  | { kind: 'damaged-row' }
  /** Stops agents and drops their last packets, so that the server sees closing connections for a time. */
  | { kind: 'half-closed'; forMs: number };

export interface Step {
  /** Delay after the previous step or the start of the experiment, in ms. */
  afterMs: number;
  fault: Fault;
}

export interface Sequence {
  seed: number;
  draft: ExperimentDraft;
  steps: Step[];
}

/** Capabilities of this machine. */
export interface Means {
  /** A separate disk; requires root. */
  disk: boolean;
  /** A separate network; requires root. */
  network: boolean;
  faketime: boolean;
  /** A packet capture program; requires root. */
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

/** Generates a reproducible sequence from a seed, without faults that the machine does not support. Pure. */
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
    // More than the number of faults: all may affect the same trial, and one may cost two attempts.
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
  // Sometimes longer than the server waits for pongs.
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

/** Readable description for failure reports. */
export function describeStep({ afterMs, fault }: Step): string {
  const { kind, ...rest } = fault;
  const details = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
  return `after ${afterMs} ms ${[kind, ...details].join(' ')}`;
}
