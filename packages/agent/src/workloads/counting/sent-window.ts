import type { Throughput } from '@mqttlab/shared/domain/runs/throughput';
import type { Instants, LoadPhase } from '../../pacing/timeline.ts';

/**
 * Counts what is handed over while measuring: from phase to phase as they are really entered, so that it goes with the
 * CPU time and bytes of the measure phase. Times in local µs.
 */
export class SentWindow {
  #startUs = Number.POSITIVE_INFINITY;
  #middleUs = Number.POSITIVE_INFINITY;
  #endUs = Number.POSITIVE_INFINITY;
  #phase: LoadPhase = 'warm-up';
  #firstHalf = 0;
  #secondHalf = 0;
  #afterwards = 0;

  open({ measureAtUs, stopAtUs }: Pick<Instants, 'measureAtUs' | 'stopAtUs'>): void {
    this.#startUs = measureAtUs;
    this.#middleUs = (measureAtUs + stopAtUs) / 2;
    this.#endUs = stopAtUs;
  }

  enter(phase: LoadPhase, nowUs: number): void {
    this.#phase = phase;
    if (phase === 'drain') this.#endUs = Math.min(this.#endUs, Math.max(nowUs, this.#startUs));
  }

  add(messages: number, nowUs: number): void {
    if (this.#phase === 'warm-up') return;
    if (this.#phase === 'drain') this.#afterwards += messages;
    else if (nowUs < this.#middleUs) this.#firstHalf += messages;
    else this.#secondHalf += messages;
  }

  /** `offsetUs`: testbed µs minus local µs. null before `open`. */
  figures(offsetUs: number): Throughput | null {
    if (this.#startUs === Number.POSITIVE_INFINITY) return null;
    return {
      startUs: this.#startUs + offsetUs,
      endUs: this.#endUs + offsetUs,
      sent: { firstHalf: this.#firstHalf, secondHalf: this.#secondHalf, afterwards: this.#afterwards },
      arrived: null,
    };
  }
}
