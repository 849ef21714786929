import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type { MicrosecondClock } from './clock.ts';

/** The three agreed instants on the local clock, in µs. */
export interface Instants {
  warmUpAtUs: number;
  measureAtUs: number;
  stopAtUs: number;
}

/** Converts times from the testbed clock, which is ahead by `offsetUs`. */
export function toLocalInstants(at: Instants, offsetUs: number): Instants {
  return {
    warmUpAtUs: at.warmUpAtUs - offsetUs,
    measureAtUs: at.measureAtUs - offsetUs,
    stopAtUs: at.stopAtUs - offsetUs,
  };
}

export type LoadPhase = Extract<Phase, 'warm-up' | 'measure' | 'drain'>;

/** Enters each agreed instant once, in order, without skipping any. */
export class Timeline {
  readonly #steps: readonly { atUs: number; phase: LoadPhase }[];
  readonly #onEnter: (phase: LoadPhase) => void;
  #next = 0;

  constructor(instants: Instants, onEnter: (phase: LoadPhase) => void) {
    this.#steps = [
      { atUs: instants.warmUpAtUs, phase: 'warm-up' },
      { atUs: instants.measureAtUs, phase: 'measure' },
      { atUs: instants.stopAtUs, phase: 'drain' },
    ];
    this.#onEnter = onEnter;
  }

  /** Enters the phases that have begun by now; returns the next instant, or Infinity after the last. */
  advance(nowUs: number): number {
    for (;;) {
      const step = this.#steps[this.#next];
      if (step === undefined) return Number.POSITIVE_INFINITY;
      if (step.atUs > nowUs) return step.atUs;
      this.#next += 1;
      this.#onEnter(step.phase);
    }
  }
}

/**
 * Enters each phase at its instant, to within 1 ms; `catchUp` immediately enters those that have begun by
 * now.
 */
export function followTimeline(
  clock: MicrosecondClock,
  instants: Instants,
  onEnter: (phase: LoadPhase) => void,
): { cancel: () => void; catchUp: () => void } {
  const timeline = new Timeline(instants, onEnter);
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const turn = (): void => {
    const nowUs = clock.nowUs();
    const nextUs = timeline.advance(nowUs);
    if (ended || nextUs === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(turn, Math.ceil((nextUs - nowUs) / 1000));
  };
  turn();
  return {
    cancel: () => {
      ended = true;
      if (timer !== null) clearTimeout(timer);
    },
    catchUp: () => void timeline.advance(clock.nowUs()),
  };
}
