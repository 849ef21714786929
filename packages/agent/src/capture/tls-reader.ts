import { X509Certificate } from 'node:crypto';
import type { StreamReader } from './tcp-stream.ts';

/** What the records of one direction of a TLS connection show to whoever has no keys. */
export interface TlsSight {
  serverName: string | null;
  /** "TLS 1.3"; of a ServerHello. */
  version: string | null;
  /** Code point of the suite in a ServerHello. */
  suite: number | null;
  /** Subjects, where the certificates travel in the clear. */
  certificates: string[];
}

/** RFC 8446 sections 4 and 5; RFC 6066 section 3. */
const [changeCipherSpec, handshakeRecord, applicationRecord] = [20, 22, 23];
const [clientHello, serverHello, certificate] = [1, 2, 11];
const [serverNameExtension, supportedVersions] = [0, 43];
const recordHeaderBytes = 5;
const versions: Readonly<Record<number, string>> = { 771: 'TLS 1.2', 772: 'TLS 1.3' };
const maxHandshakeBytes = 1 << 20;

/** Reads records; handshake messages until they are encrypted, of everything else only how long it is. */
export class TlsReader implements StreamReader {
  readonly sight: TlsSight = { serverName: null, version: null, suite: null, certificates: [] };
  readonly #onRecord: (bytes: number, atUs: number) => void;
  #record: Buffer = Buffer.alloc(0);
  #handshake: Buffer = Buffer.alloc(0);
  #isEncrypted = false;

  /** `onRecord`: application data, by the bytes that follow the header of the record. */
  constructor(onRecord: (bytes: number, atUs: number) => void) {
    this.#onRecord = onRecord;
  }

  onBytes(bytes: Buffer, atUs: number): void {
    this.#record = this.#record.length === 0 ? bytes : Buffer.concat([this.#record, bytes]);
    while (this.#record.length >= recordHeaderBytes) {
      const end = recordHeaderBytes + this.#record.readUInt16BE(3);
      // A long flight of which only the beginning was captured still has its hello in front.
      if (this.#record.length < end) break;
      this.#take(this.#record.readUInt8(), this.#record.subarray(recordHeaderBytes, end), atUs);
      this.#record = this.#record.subarray(end);
    }
    if (this.#record[0] === handshakeRecord && !this.#isEncrypted) this.#readHello(this.#record);
  }

  #take(type: number, content: Buffer, atUs: number): void {
    if (type === applicationRecord) this.#onRecord(content.length, atUs);
    if (type === changeCipherSpec || type === applicationRecord) this.#isEncrypted = true;
    if (type !== handshakeRecord || this.#isEncrypted || this.#handshake.length > maxHandshakeBytes) return;
    this.#handshake = Buffer.concat([this.#handshake, content]);
    while (this.#handshake.length >= 4) {
      const end = 4 + this.#handshake.readUIntBE(1, 3);
      if (this.#handshake.length < end) return;
      this.#takeMessage(this.#handshake.readUInt8(), this.#handshake.subarray(4, end));
      this.#handshake = this.#handshake.subarray(end);
    }
  }

  #readHello(record: Buffer): void {
    const message = record.subarray(recordHeaderBytes);
    if (message.length > 4) this.#takeMessage(message.readUInt8(), message.subarray(4));
  }

  #takeMessage(type: number, body: Buffer): void {
    // What does not fit its own lengths is cut short, or no TLS: it tells nothing.
    try {
      if (type === clientHello) this.#takeClientHello(body);
      if (type === serverHello) this.#takeServerHello(body);
      if (type === certificate) this.sight.certificates.push(...subjectsOf(body));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }

  #takeClientHello(body: Buffer): void {
    const suitesAt = 35 + body.readUInt8(34);
    const methodsAt = suitesAt + 2 + body.readUInt16BE(suitesAt);
    for (const [type, data] of extensionsOf(body, methodsAt + 1 + body.readUInt8(methodsAt))) {
      if (type === serverNameExtension)
        this.sight.serverName = data.toString('utf8', 5, 5 + data.readUInt16BE(3));
    }
  }

  #takeServerHello(body: Buffer): void {
    const suiteAt = 35 + body.readUInt8(34);
    this.sight.suite = body.readUInt16BE(suiteAt);
    this.sight.version = versions[body.readUInt16BE(0)] ?? null;
    for (const [type, data] of extensionsOf(body, suiteAt + 3)) {
      if (type === supportedVersions) this.sight.version = versions[data.readUInt16BE(0)] ?? null;
    }
  }
}

function* extensionsOf(body: Buffer, at: number): Generator<[number, Buffer]> {
  for (let next = at + 2; next + 4 <= body.length; ) {
    const length = body.readUInt16BE(next + 2);
    yield [body.readUInt16BE(next), body.subarray(next + 4, next + 4 + length)];
    next += 4 + length;
  }
}

/** Of TLS 1.2: RFC 5246 section 7.4.2. */
function subjectsOf(body: Buffer): string[] {
  const found: string[] = [];
  for (let at = 3; at + 3 < body.length; ) {
    const length = body.readUIntBE(at, 3);
    found.push(subjectOf(body.subarray(at + 3, at + 3 + length)));
    at += 3 + length;
  }
  return found;
}

function subjectOf(der: Buffer): string {
  try {
    return new X509Certificate(der).subject.replaceAll('\n', ', ');
  } catch {
    return 'not readable';
  }
}
