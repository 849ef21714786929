import {
  type BrokerState,
  type BrokerStatus,
  maxBrokerChanges,
} from '@mqttlab/shared/domain/runs/bridge-counters';
import { quantile } from '@mqttlab/shared/statistics/descriptive/summary';

/** What the heartbeats to one broker of a list found out. */
export class BrokerHeartbeats {
  missed = 0;
  readonly #nowUs: () => number;
  readonly #answersUs: number[] = [];
  readonly #changes: { atUs: number; state: BrokerState }[] = [];
  #sent = 0;
  #changeCount = 0;
  #state: BrokerState | null = null;
  #beatAtUs: number | null = null;

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs;
  }

  send(): void {
    this.#sent += 1;
    this.#beatAtUs = this.#nowUs();
  }

  /** The pings of the keep-alive are answered too, and are none of these. */
  answer(): void {
    if (this.#beatAtUs === null) return;
    this.#answersUs.push(this.#nowUs() - this.#beatAtUs);
    this.#beatAtUs = null;
  }

  /** The first reason of not being connected counts until it is connected again. */
  turn(state: BrokerState): void {
    const isDown = this.#state !== null && this.#state !== 'connected';
    if (state === this.#state || (isDown && state !== 'connected')) return;
    this.#state = state;
    this.#beatAtUs = null;
    this.#changeCount += 1;
    if (this.#changes.length < maxBrokerChanges) this.#changes.push({ atUs: this.#nowUs(), state });
  }

  /** `zeroUs` of the same clock is when measuring began. */
  status(zeroUs: number): Omit<BrokerStatus, 'leg' | 'place'> {
    return {
      sent: this.#sent,
      answered: this.#answersUs.length,
      missed: this.missed,
      medianAnswerUs: quantile(this.#answersUs, 0.5),
      changeCount: this.#changeCount,
      changes: this.#changes.map(({ atUs, state }) => ({ atMs: (atUs - zeroUs) / 1000, state })),
    };
  }
}
