import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import { loadFailure } from '../../base/load-failures.ts';
import type { PublishTemplate } from '../../mqtt/packets.ts';
import type { MicrosecondClock } from '../../pacing/clock.ts';
import { toHistogramJson } from '../../workloads/counting/histograms.ts';
import { nameCipherFailure } from '../ciphers/payload-cipher.ts';
import { CiphertextSample } from './ciphertext-sample.ts';
import {
  makePayloadPath,
  makePayloadTimes,
  type PayloadPath,
  type PayloadPathOptions,
} from './payload-path.ts';

export interface PayloadSealingOptions extends PayloadPathOptions {
  template: PublishTemplate;
}

/** Where a publisher's payloads are encrypted and encoded; `view` is of the plaintext, for its stamp. */
export interface PayloadSeal {
  readonly plain: Uint8Array;
  readonly view: DataView;
  /** Writes the payload into a packet. Throws Failure where that is impossible. */
  write(packet: Uint8Array, at: number, measured: boolean): void;
}

/** What all publishers of a worker share to protect payloads; null where payloads travel as they are. */
export interface PayloadSealing {
  makeSeal(): PayloadSeal;
  figures(): Pick<RoleResult, 'histograms' | 'randomness'>;
  /** Payloads that were changed on purpose behind the encryption. */
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

/** Encodes into the packet; a room of its own spares an object for each message. */
function makePutter({ encoding, carriedBytes, sealedBytes }: PayloadPath) {
  if (encoding.name === 'binary') {
    return (bytes: Uint8Array, packet: Uint8Array, at: number): void => packet.set(bytes, at);
  }
  const room = Buffer.alloc(encoding.maxEncodedBytes(sealedBytes));
  const encoded = room.subarray(0, carriedBytes);
  return (bytes: Uint8Array, packet: Uint8Array, at: number): void => {
    if (encoding.encode(bytes, Date.now(), room) !== carriedBytes) {
      throw loadFailure('payload-cipher', 'A payload has another size when encoded than planned.');
    }
    packet.set(encoded, at);
  };
}

function notEncrypted(result: number) {
  return loadFailure(
    'payload-cipher',
    `A payload was not encrypted: ${nameCipherFailure(result) ?? result}.`,
  );
}

/** Flips one bit in every n-th ciphertext, each time elsewhere: what a man in the middle would do. */
class Tampering {
  readonly #every: number;
  #seen = 0;
  #altered = 0;

  /** 0: nothing is altered. */
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
    // A prime, so that the places do not follow the size.
    const at = (this.#altered * 7_919) % sealed.length;
    sealed[at] = (sealed[at] ?? 0) ^ (1 << (this.#altered % 8));
    this.#altered += 1;
  }
}
