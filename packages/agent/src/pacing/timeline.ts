import type { Phase } from '@mqttlab/shared/domain/runs/phase';

/** The three agreed instants on the local clock, µs. */
export interface Instants {
  warmUpAtUs: number;
  measureAtUs: number;
  stopAtUs: number;
}

export type LoadPhase = Extract<Phase, 'warm-up' | 'measure' | 'drain'>;

/** Follows the agreed instants: each is entered once, in order, none is skipped. */
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

  /** Enters what has begun by now; returns the next instant, Infinity after the last. */
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
