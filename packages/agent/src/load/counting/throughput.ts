import type { Throughput } from '@mqttlab/shared/domain/runs/throughput';
import type { Instants, LoadPhase } from '../pacing/timeline.ts';

/**
 * Counts sent messages in two ways. The first covers the measure phase as it was entered, to match its CPU
 * time and bytes. The second begins at the agreed start, because a busy machine may enter the phase late.
 * Times are in µs on the local clock.
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
    if (this.#phase === 'warm-up' && nowUs < this.#startUs) return;
    if (this.#phase === 'drain') this.#afterwards += messages;
    else if (nowUs < this.#middleUs) this.#firstHalf += messages;
    else this.#secondHalf += messages;
  }

  /**
   * Returns the throughput; null before `open`. `offsetUs` is the testbed clock minus the local clock, in µs.
   */
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

/**
 * Counts arrivals between the agreed instants, by the time of each arrival. Times are in µs on the local
 * clock.
 */
export class ArrivalWindow {
  #startUs = Number.POSITIVE_INFINITY;
  #middleUs = Number.POSITIVE_INFINITY;
  #endUs = Number.POSITIVE_INFINITY;
  #firstHalf = 0;
  #secondHalf = 0;
  #payloadBytes = 0;
  #longestSilenceUs = 0;
  /** Time of the last arrival within the interval, or the start of the interval. */
  #lastArrivalUs = Number.POSITIVE_INFINITY;
  #endedEarly = false;
  #firstUs = 0;
  #lastUs = 0;
  #atFirst = 0;

  /** Call this once, before the first arrival. */
  open({ measureAtUs, stopAtUs }: Pick<Instants, 'measureAtUs' | 'stopAtUs'>): void {
    this.#startUs = measureAtUs;
    this.#lastArrivalUs = measureAtUs;
    this.#middleUs = (measureAtUs + stopAtUs) / 2;
    this.#endUs = stopAtUs;
  }

  /** Ends the interval early if the load ends before the agreed time; the counts remain. */
  close(nowUs: number): void {
    if (nowUs >= this.#endUs) return;
    this.#endUs = Math.max(nowUs, this.#lastArrivalUs);
    this.#endedEarly = true;
  }

  /** Counts a message that arrives for the first time. */
  add(atUs: number, payloadBytes: number, measured: boolean): void {
    if (measured) {
      if (this.#atFirst === 0) this.#firstUs = atUs;
      if (atUs === this.#firstUs) this.#atFirst += 1;
      this.#lastUs = atUs;
    }
    if (atUs < this.#startUs) return;
    const within = atUs < this.#endUs;
    if (within || this.#endedEarly) this.#addArrival(atUs);
    if (!within) return;
    if (atUs < this.#middleUs) this.#firstHalf += 1;
    else this.#secondHalf += 1;
    this.#payloadBytes += payloadBytes;
  }

  #addArrival(atUs: number): void {
    const silenceUs = atUs - this.#lastArrivalUs;
    if (silenceUs > this.#longestSilenceUs) this.#longestSilenceUs = silenceUs;
    this.#lastArrivalUs = atUs;
  }

  /**
   * Returns the throughput; null before `open`. `offsetUs` is the testbed clock minus the local clock, in µs.
   */
  figures(offsetUs: number): Throughput | null {
    if (this.#startUs === Number.POSITIVE_INFINITY) return null;
    const hasArrivals = this.#atFirst > 0;
    return {
      startUs: this.#startUs + offsetUs,
      endUs: this.#endUs + offsetUs,
      sent: null,
      arrived: {
        firstHalf: this.#firstHalf,
        secondHalf: this.#secondHalf,
        payloadBytes: this.#payloadBytes,
        // No more messages are expected after the last message of a load with a message count.
        longestSilenceUs: Math.max(
          this.#longestSilenceUs,
          this.#endedEarly ? 0 : this.#endUs - this.#lastArrivalUs,
        ),
        firstUs: hasArrivals ? this.#firstUs + offsetUs : null,
        lastUs: hasArrivals ? this.#lastUs + offsetUs : null,
        atFirst: this.#atFirst,
      },
    };
  }
}
