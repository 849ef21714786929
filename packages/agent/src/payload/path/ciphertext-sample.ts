import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Randomness } from '@mqttlab/shared/domain/runs/role-result';
import {
  approximateEntropy,
  bitsFromBytes,
  frequencyTest,
  runsTest,
} from '@mqttlab/shared/statistics/randomness/randomness';
import type { PayloadCipher } from '../ciphers/payload-cipher.ts';

const maxMessages = 100;
/** Of each ciphertext. */
const maxBytes = 16_384;
/** Without a schedule nobody knows how many messages there will be. */
const unpacedStride = 64;
/** At the end of a Run, while the server waits for the result. */
const maxTestMs = 1_000;

/** NIST SP 800-22 sections 2.1.7 and 2.3.7 ask for 100 bits at least. */
const minBits = 100;
/** Section 2.12.7: m < floor(log2 n) - 5; 10 is what the examples take for a million bits. */
const maxPattern = 10;
const passes = 0.01;

type P = number | null | undefined;
const tests: Readonly<Record<Randomness['test'], (bits: Uint8Array) => P>> = {
  monobit: (bits) => frequencyTest(bits)?.p,
  runs: (bits) => runsTest(bits)?.p,
  'approximate entropy': (bits) => {
    const m = Math.min(maxPattern, Math.floor(Math.log2(bits.length)) - 6);
    return m < 1 ? null : approximateEntropy(bits, m)?.p;
  },
};

/**
 * Ciphertexts of the measure phase, spread over it: copied while it runs, tested when all is over. Nonces are left
 * out, because a sequence number is not meant to look random.
 */
export class CiphertextSample {
  readonly #messages: Uint8Array[];
  readonly #from: number;
  readonly #stride: number;
  #offered = 0;
  #taken = 0;

  constructor(spec: TrialSpec, cipher: Pick<PayloadCipher, 'layout'>) {
    this.#from = cipher.layout.nonceBytes;
    this.#stride = strideOf(spec);
    this.#messages = [];
  }

  /** Allocates for the messages that it takes, which are few. */
  offer(sealed: Uint8Array): void {
    const turn = this.#offered % this.#stride;
    this.#offered += 1;
    if (turn !== 0 || this.#taken === maxMessages) return;
    this.#taken += 1;
    // A copy: `slice` of a Buffer would be a view of bytes that the next message overwrites.
    this.#messages.push(new Uint8Array(sealed.subarray(this.#from, this.#from + maxBytes)));
  }

  /** Takes a second at most, and then leaves the other messages out. */
  test(): Randomness[] {
    const deadlineMs = performance.now() + maxTestMs;
    const found = new Map<Randomness['test'], number[]>();
    for (const message of this.#messages) {
      if (8 * message.length < minBits || performance.now() > deadlineMs) break;
      const bits = bitsFromBytes(message);
      for (const [name, test] of Object.entries(tests)) {
        const p = test(bits);
        if (p === null || p === undefined) continue;
        const known = found.get(name as Randomness['test']);
        if (known === undefined) found.set(name as Randomness['test'], [p]);
        else known.push(p);
      }
    }
    return [...found].map(([test, ps]) => ({
      test,
      messages: ps.length,
      passed: ps.filter((p) => p >= passes).length,
      meanP: ps.reduce((sum, p) => sum + p, 0) / ps.length,
    }));
  }
}

function strideOf({ readingsPerSecond, readingsPerMessage, publishers, measureMs }: TrialSpec): number {
  if (readingsPerSecond === null) return unpacedStride;
  const messages = ((readingsPerSecond / readingsPerMessage) * publishers * measureMs) / 1000;
  return Math.max(1, Math.floor(messages / maxMessages));
}
