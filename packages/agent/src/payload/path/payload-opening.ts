import type { Counters, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { toHistogramJson } from '../../load/counting/histograms.ts';
import type { MicrosecondClock } from '../../load/pacing/clock.ts';
import { type IncomingPublish, makeIncomingPublish } from '../../mqtt/packet-parser.ts';
import { cipherFailures, type PayloadCipherEnd } from '../ciphers/payload-cipher.ts';
import { isMeasured } from '../stamp.ts';
import {
  makePayloadPath,
  makePayloadTimes,
  type PayloadPath,
  type PayloadPathOptions,
} from './payload-path.ts';

/** Receives every PUBLISH on a subscription. */
export interface Receiver {
  /** `atUs` is the local time in µs at which the chunk that completed the message reached the application. */
  add(publish: IncomingPublish, atUs: number): void;
  /** Counts a message that must be discarded under MQTT. */
  discard(publish: IncomingPublish): void;
}

/** Refused payloads, and payloads that MQTT itself delivered again. */
type RefusedPayloads = Pick<Counters, 'unauthentic' | 'replayed' | 'malformed' | 'duplicate'>;

/** Shared state with which the subscribers in a worker read payloads; null if payloads are not encrypted. */
export interface PayloadOpening {
  /**
   * Returns a receiver for one subscription that passes on readable messages with the plaintext as payload.
   */
  makeReceiver(counter: Receiver): Receiver;
  figures(): OpeningFigures;
  /** Returns the number of refused payloads so far. */
  refusedSoFar(): number;
}

interface OpeningFigures extends Pick<RoleResult, 'histograms'> {
  refused: Readonly<RefusedPayloads>;
}

/** Figures to use if payloads are not encrypted. */
export const nothingRefused: OpeningFigures = {
  refused: { unauthentic: 0, replayed: 0, malformed: 0, duplicate: 0 },
  histograms: {},
};

export function makePayloadOpening({
  command,
  clock,
  payloadCipher,
}: PayloadPathOptions): PayloadOpening | null {
  const path = makePayloadPath(command, payloadCipher);
  if (path === null) return null;
  const refused: RefusedPayloads = { ...nothingRefused.refused };
  const times = makePayloadTimes();
  return {
    makeReceiver: (counter) => new PayloadOpener({ path, clock, counter, refused, times }),
    figures() {
      const decryption = toHistogramJson(times);
      return { refused, histograms: decryption === null ? {} : { decryption } };
    },
    refusedSoFar: () => refused.unauthentic + refused.replayed + refused.malformed + refused.duplicate,
  };
}

interface OpenerOptions {
  path: PayloadPath;
  clock: MicrosecondClock;
  counter: Receiver;
  refused: RefusedPayloads;
  times: LatencyHistogram;
}

/**
 * Decodes and decrypts the messages for one subscription. Latency ends when the plaintext is available, so it
 * includes the time to decrypt.
 */
class PayloadOpener implements Receiver {
  readonly #options: OpenerOptions;
  readonly #plain: Buffer;
  readonly #opened: IncomingPublish;
  readonly #decode: (publish: IncomingPublish) => Uint8Array | null;
  readonly #end: PayloadCipherEnd | null;
  #untimed = 0;

  constructor(options: OpenerOptions) {
    const { path } = options;
    this.#options = options;
    this.#decode = makeDecoder(path);
    this.#end = path.cipher?.makeEnd() ?? null;
    this.#plain = Buffer.alloc(path.carriedBytes);
    this.#opened = makeIncomingPublish(this.#plain);
  }

  add(publish: IncomingPublish): void {
    const { counter, clock } = this.#options;
    const bytes = this.#read(publish);
    if (bytes < 0) {
      this.#refuse(bytes, publish.duplicate);
      return;
    }
    counter.add(this.#openedAs(publish, bytes), clock.nowUs());
  }

  discard(publish: IncomingPublish): void {
    const bytes = this.#read(publish);
    if (bytes >= 0) this.#options.counter.discard(this.#openedAs(publish, bytes));
  }

  #openedAs({ duplicate }: IncomingPublish, bytes: number): IncomingPublish {
    const opened = this.#opened;
    opened.duplicate = duplicate;
    opened.payloadBytes = bytes;
    opened.retainedUntil = bytes;
    return opened;
  }

  #refuse(result: number, again: boolean): void {
    const { refused } = this.#options;
    if (result === cipherFailures.authentication) refused.unauthentic += 1;
    else if (result !== cipherFailures.replayed) refused.malformed += 1;
    else if (again) refused.duplicate += 1;
    else refused.replayed += 1;
  }

  /** Returns the number of plaintext bytes or a value of `cipherFailures`. */
  #read(publish: IncomingPublish): number {
    const { path, clock, times } = this.#options;
    const sealed = this.#decode(publish);
    if (sealed === null) return cipherFailures.tooShort;
    if (this.#end === null) {
      this.#plain.set(sealed);
      return sealed.length;
    }
    this.#untimed += 1;
    const timed = this.#untimed >= path.timedEvery;
    const beganUs = timed ? clock.nowUs() : 0;
    const bytes = this.#end.decrypt(sealed, this.#plain, topicOf(publish, path.topic));
    if (timed && bytes >= 0 && isMeasured(this.#plain, bytes)) {
      times.record(clock.nowUs() - beganUs);
      this.#untimed = 0;
    }
    return bytes;
  }
}

/**
 * Returns the ciphertext, or null if the payload is invalid; valid until the next call. Copies data, but
 * allocates no objects.
 */
function makeDecoder({ encoding, carriedBytes, sealedBytes }: PayloadPath) {
  const carried = Buffer.alloc(carriedBytes);
  const room = Buffer.alloc(carriedBytes);
  const usual = room.subarray(0, sealedBytes);
  const first = (whole: Buffer, bytes: number) => (bytes === whole.length ? whole : whole.subarray(0, bytes));
  return ({ source, payloadAt, payloadBytes, retainedUntil }: IncomingPublish): Uint8Array | null => {
    // Longer than any payload in this run, or not retained completely, and therefore invalid.
    if (payloadBytes > carriedBytes || payloadAt + payloadBytes > retainedUntil) return null;
    Buffer.prototype.copy.call(source, carried, 0, payloadAt, payloadAt + payloadBytes);
    const message = first(carried, payloadBytes);
    if (encoding.name === 'binary') return message;
    const bytes = encoding.decode(message, room);
    if (bytes < 0) return null;
    return bytes === sealedBytes ? usual : room.subarray(0, bytes);
  };
}

/** Returns the topic of a message, using the known bytes if they are equal, so that no object is created. */
function topicOf({ source, topicAt, topicBytes }: IncomingPublish, known: Uint8Array): Uint8Array {
  let same = topicBytes === known.length;
  for (let i = 0; same && i < topicBytes; i += 1) same = source[topicAt + i] === known[i];
  return same ? known : source.subarray(topicAt, topicAt + topicBytes);
}
