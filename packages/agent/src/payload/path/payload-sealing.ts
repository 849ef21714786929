import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Randomness, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import {
  approximateEntropy,
  bitsFromBytes,
  frequencyTest,
  runsTest,
} from '@mqttlab/shared/statistics/randomness/randomness';
import { toHistogramJson } from '../../load/counting/histograms.ts';
import type { MicrosecondClock } from '../../load/pacing/clock.ts';
import type { PublishTemplate } from '../../mqtt/packets.ts';
import { loadFailure } from '../../processes/failures.ts';
import { nameCipherFailure, type PayloadCipher } from '../ciphers/payload-cipher.ts';
import {
  makePayloadPath,
  makePayloadTimes,
  type PayloadPath,
  type PayloadPathOptions,
} from './payload-path.ts';

interface PayloadSealingOptions extends PayloadPathOptions {
  template: PublishTemplate;
}

/**
 * Buffer in which a publisher's payloads are encrypted and encoded; `view` shows the plaintext, in which the
 * stamp is written.
 */
export interface PayloadSeal {
  readonly plain: Uint8Array;
  readonly view: DataView;
  /** Writes the payload into a packet. Throws Failure if this is not possible. */
  write(packet: Uint8Array, at: number, measured: boolean): void;
}

/**
 * Shared state with which the publishers in a worker protect payloads; null if payloads are not encrypted.
 */
export interface PayloadSealing {
  makeSeal(): PayloadSeal;
  figures(): Pick<RoleResult, 'histograms' | 'randomness'>;
  /** Returns the number of payloads that were altered on purpose after encryption. */
  altered(): number;
}

export function makePayloadSealing({
  command,
  clock,
  payloadCipher,
  template,
}: PayloadSealingOptions): PayloadSealing | null {
  const path = makePayloadPath(command, payloadCipher);
  if (path === null) return null;
  const times = makePayloadTimes();
  const tampering = new Tampering(command.spec.alterEvery);
  const sample = path.cipher && new CiphertextSample(command.spec, path.cipher.definition);
  return {
    makeSeal() {
      const plain = template.packet.slice(template.payloadAt, template.payloadAt + path.plainBytes);
      return path.cipher === null
        ? makeEncoder(path, plain)
        : makeEncrypter(path, { plain, end: path.cipher.makeEnd(), clock, times, sample, tampering });
    },
    altered: () => tampering.altered,
    figures() {
      const encryption = toHistogramJson(times);
      return { histograms: encryption === null ? {} : { encryption }, randomness: sample?.test() ?? [] };
    },
  };
}

function makeEncoder(path: PayloadPath, plain: Uint8Array): PayloadSeal {
  const put = makePutter(path);
  return { plain, view: new DataView(plain.buffer), write: (packet, at) => put(plain, packet, at) };
}

interface Encrypter {
  plain: Uint8Array;
  end: ReturnType<NonNullable<PayloadPath['cipher']>['makeEnd']>;
  clock: MicrosecondClock;
  times: LatencyHistogram;
  sample: CiphertextSample | null;
  tampering: Tampering;
}

function makeEncrypter(path: PayloadPath, encrypter: Encrypter): PayloadSeal {
  const { plain, end, clock, times, sample, tampering } = encrypter;
  const { topic, timedEvery } = path;
  const put = makePutter(path);
  const sealed = Buffer.alloc(path.sealedBytes);
  let untimed = 0;
  return {
    plain,
    view: new DataView(plain.buffer),
    write(packet, at, measured) {
      untimed += 1;
      const timed = measured && untimed >= timedEvery;
      const beganUs = timed ? clock.nowUs() : 0;
      const bytes = end.encrypt(plain, sealed, topic);
      if (timed) {
        times.record(clock.nowUs() - beganUs);
        untimed = 0;
      }
      if (bytes !== sealed.length) throw notEncrypted(bytes);
      if (measured) {
        sample?.offer(sealed);
        tampering.offer(sealed);
      }
      put(sealed, packet, at);
    },
  };
}

/**
 * Makes a function that encodes a payload into a packet. It reuses one buffer, so that no object is created
 * for each message.
 */
function makePutter({ encoding, carriedBytes, sealedBytes }: PayloadPath) {
  if (encoding.name === 'binary') {
    return (bytes: Uint8Array, packet: Uint8Array, at: number): void => packet.set(bytes, at);
  }
  const room = Buffer.alloc(encoding.maxEncodedBytes(sealedBytes));
  const encoded = room.subarray(0, carriedBytes);
  return (bytes: Uint8Array, packet: Uint8Array, at: number): void => {
    if (encoding.encode(bytes, Date.now(), room) !== carriedBytes) {
      throw loadFailure('payload-cipher', 'An encoded payload does not have the planned size.');
    }
    packet.set(encoded, at);
  };
}

function notEncrypted(result: number) {
  return loadFailure(
    'payload-cipher',
    `A payload could not be encrypted: ${nameCipherFailure(result) ?? result}.`,
  );
}

/** Flips one bit in every n-th ciphertext, each time at another position, to simulate a man in the middle. */
class Tampering {
  readonly #every: number;
  #seen = 0;
  #altered = 0;

  /** `every` is 0 if nothing is altered. */
  constructor(every: number) {
    this.#every = every;
  }

  get altered(): number {
    return this.#altered;
  }

  offer(sealed: Uint8Array): void {
    if (this.#every === 0) return;
    this.#seen += 1;
    if (this.#seen % this.#every !== 0) return;
    // A prime, so that the positions do not depend on the size.
    const at = (this.#altered * 7_919) % sealed.length;
    sealed[at] = (sealed[at] ?? 0) ^ (1 << (this.#altered % 8));
    this.#altered += 1;
  }
}

const maxMessages = 100;
/** Number of bytes sampled from each ciphertext. */
const maxBytes = 16_384;
/** Without a schedule, the number of messages is unknown. */
const unpacedStride = 64;
/** Time limit at the end of a run, while the server waits for the result. */
const maxTestMs = 1_000;

/** NIST SP 800-22 sections 2.1.7 and 2.3.7 require at least 100 bits. */
const minBits = 100;
/** Section 2.12.7: m < floor(log2 n) - 5; the examples use 10 for a million bits. */
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
 * Samples ciphertexts of the measure phase, evenly over time. They are copied during the run and tested after
 * it. Nonces are omitted, because a sequence number is not meant to look random.
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

  /** Samples a message if it is due; allocates memory only for the few sampled messages. */
  offer(sealed: Uint8Array): void {
    const turn = this.#offered % this.#stride;
    this.#offered += 1;
    if (turn !== 0 || this.#taken === maxMessages) return;
    this.#taken += 1;
    // A copy, because `slice` of a Buffer would be a view of bytes that the next message overwrites.
    this.#messages.push(new Uint8Array(sealed.subarray(this.#from, this.#from + maxBytes)));
  }

  /** Tests the samples for at most a second; then omits the remaining messages. */
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
