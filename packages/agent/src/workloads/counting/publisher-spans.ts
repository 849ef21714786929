import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { mean, standardDeviation } from '@mqttlab/shared/statistics/descriptive/summary';

/** How long the messages of each publisher took together, and one by one; measured ones only, testbed clock. */
export class PublisherSpans {
  readonly #counts: Float64Array;
  readonly #latencyUs: Float64Array;
  readonly #firstUs: Float64Array;
  readonly #lastUs: Float64Array;

  constructor(publishers: number) {
    this.#counts = new Float64Array(publishers);
    this.#latencyUs = new Float64Array(publishers);
    this.#firstUs = new Float64Array(publishers).fill(Number.POSITIVE_INFINITY);
    this.#lastUs = new Float64Array(publishers);
  }

  /** `publisher`: counted from the first that is accounted for. */
  add(publisher: number, dueUs: number, arrivedUs: number): void {
    this.#counts[publisher]! += 1;
    this.#latencyUs[publisher]! += arrivedUs - dueUs;
    if (dueUs < this.#firstUs[publisher]!) this.#firstUs[publisher] = dueUs;
    if (arrivedUs > this.#lastUs[publisher]!) this.#lastUs[publisher] = arrivedUs;
  }

  /** Of those that were heard of; nothing where there are not two to compare. */
  facts(): RoleResult['environment'] {
    const heard = [...this.#counts.keys()].filter((index) => this.#counts[index]! > 0);
    if (heard.length < 2) return {};
    const runTimesMs = heard.map((index) => (this.#lastUs[index]! - this.#firstUs[index]!) / 1e3);
    const meansMs = heard.map((index) => this.#latencyUs[index]! / this.#counts[index]! / 1e3);
    return {
      'publishers.runTimeMs': mean(runTimesMs),
      'publishers.meanLatencySdMs': standardDeviation(meansMs),
    };
  }
}
