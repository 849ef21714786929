import { X509Certificate } from 'node:crypto';
import { stampBytes, type TrialSpec, textStampBytes } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  type CapturedConnection,
  type CapturedSize,
  captureLimits,
  type RunCapture,
} from '@mqttlab/shared/domain/runs/capture';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type IncomingPublish, PacketParser } from '../../mqtt/packet-parser.ts';
import { makeStamp, readShortMark, readStamp } from '../../payload/stamp.ts';
import { type PcapFile, readPcap, type Segment, type StreamReader, TcpStream } from './read-pcap.ts';

type CaptureFindings = Pick<
  RunCapture,
  | 'packets'
  | 'connections'
  | 'moreConnections'
  | 'serverNames'
  | 'certificates'
  | 'topics'
  | 'payloadBytes'
  | 'payloadSample'
  | 'sizes'
> & { isCut: boolean };

const sampleBytes = 24;
type Towards = CapturedSize['towards'];

/** Summarises a capture of the broker's port without keys. Throws RangeError if the file cannot be read. */
export function summariseCapture(file: Buffer, spec: TrialSpec, brokerPort: number): CaptureFindings {
  return new Eavesdropper(readPcap(file), spec, brokerPort).listen();
}

class Eavesdropper {
  readonly #file: PcapFile;
  readonly #spec: TrialSpec;
  readonly #brokerPort: number;
  readonly #connections = new Map<string, ConnectionSight>();
  readonly #topics = new Set<string>();
  readonly #sizes = new Map<
    string,
    { towards: Towards; bytes: number; messages: number; gapsMs: number[] }
  >();
  #payloadBytes = 0;
  #payloadSample: string | null = null;

  constructor(file: PcapFile, spec: TrialSpec, brokerPort: number) {
    this.#file = file;
    this.#spec = spec;
    this.#brokerPort = brokerPort;
  }

  listen(): CaptureFindings {
    for (const segment of this.#file.segments) this.#take(segment);
    const all = [...this.#connections.values()];
    const few = (found: Iterable<string | null>) =>
      [...new Set(found)].filter((one) => one !== null).slice(0, captureLimits.sizes);
    return {
      packets: this.#file.packets,
      isCut: this.#file.isCut,
      connections: all.slice(0, captureLimits.connections).map((one) => one.describe()),
      moreConnections: Math.max(0, all.length - captureLimits.connections),
      serverNames: few(all.map(({ tls }) => tls?.broker.sight.serverName ?? null)),
      certificates: few(all.flatMap(({ tls }) => tls?.client.sight.certificates ?? [])),
      topics: few(this.#topics),
      payloadBytes: this.#payloadBytes,
      payloadSample: this.#payloadSample,
      sizes: [...this.#sizes.values()]
        .sort((a, b) => b.messages * b.bytes - a.messages * a.bytes)
        .slice(0, captureLimits.sizes)
        .map(({ gapsMs, ...size }) => ({ ...size, everyMs: medianOf(gapsMs) })),
    };
  }

  #take(segment: Segment): void {
    const { from, to } = segment;
    const towards: Towards = to.port === this.#brokerPort ? 'broker' : 'client';
    const client = towards === 'broker' ? from : to;
    const key = `${client.address} ${client.port}`;
    // A later connection can reuse the client's port.
    let connection = this.#connections.get(key);
    if (connection?.isOver && segment.flags.syn && towards === 'broker') {
      this.#connections.set(`${key} until ${segment.atUs}`, connection);
      connection = undefined;
    }
    connection ??= new ConnectionSight(client.port, this.#spec, this);
    this.#connections.set(key, connection);
    connection.take(towards, segment);
  }

  notePublish({ topic, payload, payloadBytes }: SeenPublish): void {
    if (this.#topics.size < captureLimits.sizes) this.#topics.add(topic);
    this.#payloadBytes += payloadBytes;
    this.#payloadSample ??= payload.toString('hex', 0, sampleBytes);
  }

  noteSize(towards: Towards, bytes: number, gapMs: number | null): void {
    const key = `${towards} ${bytes}`;
    const size = this.#sizes.get(key) ?? { towards, bytes, messages: 0, gapsMs: [] };
    this.#sizes.set(key, size);
    size.messages += 1;
    if (gapMs !== null) size.gapsMs.push(gapMs);
  }
}

class ConnectionSight {
  readonly tls: Record<Towards, TlsReader> | null;
  readonly #clientPort: number;
  readonly #mqtt: Record<Towards, MqttReader> | null;
  readonly #streams: Record<Towards, TcpStream>;
  readonly #measured: Record<Towards, number> = { broker: 0, client: 0 };
  readonly #lastUs = new Map<string, number>();
  /** Number of bytes after the client's FIN. They are lost if its kernel responds with RST. */
  #lateBytes: number | null = null;
  #unreadBytes = 0;

  constructor(clientPort: number, spec: TrialSpec, all: Eavesdropper) {
    this.#clientPort = clientPort;
    const both = <T>(make: (towards: Towards) => T): Record<Towards, T> => ({
      broker: make('broker'),
      client: make('client'),
    });
    const note = (towards: Towards) => (bytes: number, atUs: number) => {
      const key = `${towards} ${bytes}`;
      const lastUs = this.#lastUs.get(key);
      this.#lastUs.set(key, atUs);
      all.noteSize(towards, bytes, lastUs === undefined ? null : (atUs - lastUs) / 1000);
    };
    const isPlain = spec.security === 'plain';
    this.tls = isPlain ? null : both((towards) => new TlsReader(note(towards)));
    // WebSocket frames around MQTT are not decoded.
    this.#mqtt =
      isPlain && spec.transport === 'tcp'
        ? both(
            (towards) =>
              new MqttReader(spec.mqttVersion === '5.0', (publish, atUs) => {
                all.notePublish(publish);
                note(towards)(publish.packetBytes, atUs);
                if (publish.isMeasured) this.#measured[towards] += 1;
              }),
          )
        : null;
    const nobody = { onBytes: () => {} };
    this.#streams = both((towards) => new TcpStream((this.tls ?? this.#mqtt)?.[towards] ?? nobody));
  }

  get isOver(): boolean {
    return this.#lateBytes !== null;
  }

  take(towards: Towards, segment: Segment): void {
    const added = this.#streams[towards].add(segment);
    if (towards === 'client') {
      if (this.#lateBytes !== null) this.#lateBytes += added;
      return;
    }
    if (segment.flags.fin) this.#lateBytes ??= 0;
    if (!segment.flags.reset) return;
    this.#unreadBytes += this.#lateBytes ?? 0;
    this.#lateBytes = 0;
  }

  describe(): CapturedConnection {
    const { broker, client } = this.#streams;
    const { version = null, suite = null } = this.tls?.client.sight ?? {};
    const countOf = (towards: Towards) =>
      this.#mqtt !== null && !this.#mqtt[towards].isLost && this.#streams[towards].isWhole
        ? this.#measured[towards]
        : null;
    return {
      clientPort: this.#clientPort,
      bytesSent: broker.bytes,
      bytesReceived: client.bytes - this.#unreadBytes,
      version,
      suite: suite === null ? null : suiteOfCode(suite),
      messagesSent: countOf('broker'),
      messagesReceived: countOf('client'),
    };
  }
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

/**
 * Code points in the IANA registry "TLS Cipher Suites" with their OpenSSL names, as listed by `openssl
 * ciphers -V`.
 */
const listed = `
  002F AES128-SHA 0032 DHE-DSS-AES128-SHA 0033 DHE-RSA-AES128-SHA
  0035 AES256-SHA 0038 DHE-DSS-AES256-SHA 0039 DHE-RSA-AES256-SHA
  003C AES128-SHA256 003D AES256-SHA256 0040 DHE-DSS-AES128-SHA256
  0041 CAMELLIA128-SHA 0044 DHE-DSS-CAMELLIA128-SHA 0045 DHE-RSA-CAMELLIA128-SHA
  0067 DHE-RSA-AES128-SHA256 006A DHE-DSS-AES256-SHA256 006B DHE-RSA-AES256-SHA256
  0084 CAMELLIA256-SHA 0087 DHE-DSS-CAMELLIA256-SHA 0088 DHE-RSA-CAMELLIA256-SHA
  009C AES128-GCM-SHA256 009D AES256-GCM-SHA384 009E DHE-RSA-AES128-GCM-SHA256
  009F DHE-RSA-AES256-GCM-SHA384 00A2 DHE-DSS-AES128-GCM-SHA256 00A3 DHE-DSS-AES256-GCM-SHA384
  00BA CAMELLIA128-SHA256 00BD DHE-DSS-CAMELLIA128-SHA256 00BE DHE-RSA-CAMELLIA128-SHA256
  00C0 CAMELLIA256-SHA256 00C3 DHE-DSS-CAMELLIA256-SHA256 00C4 DHE-RSA-CAMELLIA256-SHA256
  1301 TLS_AES_128_GCM_SHA256 1302 TLS_AES_256_GCM_SHA384 1303 TLS_CHACHA20_POLY1305_SHA256
  1304 TLS_AES_128_CCM_SHA256 1305 TLS_AES_128_CCM_8_SHA256 C009 ECDHE-ECDSA-AES128-SHA
  C00A ECDHE-ECDSA-AES256-SHA C013 ECDHE-RSA-AES128-SHA C014 ECDHE-RSA-AES256-SHA
  C023 ECDHE-ECDSA-AES128-SHA256 C024 ECDHE-ECDSA-AES256-SHA384 C027 ECDHE-RSA-AES128-SHA256
  C028 ECDHE-RSA-AES256-SHA384 C02B ECDHE-ECDSA-AES128-GCM-SHA256 C02C ECDHE-ECDSA-AES256-GCM-SHA384
  C02F ECDHE-RSA-AES128-GCM-SHA256 C030 ECDHE-RSA-AES256-GCM-SHA384 C050 ARIA128-GCM-SHA256
  C051 ARIA256-GCM-SHA384 C052 DHE-RSA-ARIA128-GCM-SHA256 C053 DHE-RSA-ARIA256-GCM-SHA384
  C056 DHE-DSS-ARIA128-GCM-SHA256 C057 DHE-DSS-ARIA256-GCM-SHA384 C05C ECDHE-ECDSA-ARIA128-GCM-SHA256
  C05D ECDHE-ECDSA-ARIA256-GCM-SHA384 C060 ECDHE-ARIA128-GCM-SHA256 C061 ECDHE-ARIA256-GCM-SHA384
  C072 ECDHE-ECDSA-CAMELLIA128-SHA256 C073 ECDHE-ECDSA-CAMELLIA256-SHA384 C076 ECDHE-RSA-CAMELLIA128-SHA256
  C077 ECDHE-RSA-CAMELLIA256-SHA384 C09C AES128-CCM C09D AES256-CCM
  C09E DHE-RSA-AES128-CCM C09F DHE-RSA-AES256-CCM C0A0 AES128-CCM8
  C0A1 AES256-CCM8 C0A2 DHE-RSA-AES128-CCM8 C0A3 DHE-RSA-AES256-CCM8
  C0AC ECDHE-ECDSA-AES128-CCM C0AD ECDHE-ECDSA-AES256-CCM C0AE ECDHE-ECDSA-AES128-CCM8
  C0AF ECDHE-ECDSA-AES256-CCM8 CCA8 ECDHE-RSA-CHACHA20-POLY1305 CCA9 ECDHE-ECDSA-CHACHA20-POLY1305
  CCAA DHE-RSA-CHACHA20-POLY1305
`;

const nameByCode = new Map(
  [...listed.matchAll(/([0-9A-F]{4}) (\S+)/g)].map(([, code = '', name = '']) => [
    Number.parseInt(code, 16),
    name,
  ]),
);

/** Returns for example "ECDHE-ECDSA-AES128-GCM-SHA256", or the number if OpenSSL has no name for it. */
function suiteOfCode(code: number): string {
  return nameByCode.get(code) ?? `0x${code.toString(16).padStart(4, '0').toUpperCase()}`;
}

export interface SeenPublish {
  topic: string;
  /** Total length, including the header. */
  packetBytes: number;
  payloadBytes: number;
  /** The captured part. */
  payload: Buffer;
  /** Stamp at the beginning of the payload. */
  isMeasured: boolean;
}

/** Reads the PUBLISH packets in one direction of a connection without TLS. */
export class MqttReader implements StreamReader {
  readonly #parser: PacketParser;
  #atUs = 0;
  /** Set if the data is not MQTT, so that nothing after it can be read. */
  isLost = false;

  constructor(mqtt5: boolean, onPublish: (publish: SeenPublish, atUs: number) => void) {
    this.#parser = new PacketParser(
      {
        onPublish: (publish) => onPublish(describe(publish), this.#atUs),
        onAcknowledgement: () => {},
        onControl: () => {},
      },
      { mqtt5 },
    );
  }

  onBytes(bytes: Buffer, atUs: number): void {
    if (this.isLost) return;
    this.#atUs = atUs;
    try {
      this.#parser.push(bytes, bytes.length);
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'protocol-error')) throw error;
      this.isLost = true;
    }
  }
}

function describe(publish: IncomingPublish): SeenPublish {
  const { source, topicAt, topicBytes, payloadAt, payloadBytes, retainedUntil } = publish;
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const remaining = payloadAt + payloadBytes - (topicAt - 2);
  const lengthBytes = remaining < 128 ? 1 : remaining < 16_384 ? 2 : remaining < 2_097_152 ? 3 : 4;
  const payload = Buffer.from(bytes.subarray(payloadAt, Math.min(payloadAt + payloadBytes, retainedUntil)));
  return {
    topic: bytes.toString('utf8', topicAt, topicAt + topicBytes),
    packetBytes: 1 + lengthBytes + remaining,
    payloadBytes,
    payload,
    isMeasured: isMeasuredPayload(payload),
  };
}

/**
 * Returns true for a measured message. Line-based clients write the stamp as text; their probe messages
 * contain no stamp.
 */
function isMeasuredPayload(payload: Buffer): boolean {
  const text = payload.toString('latin1', 0, textStampBytes);
  const stamped = /^[A-Za-z0-9+/]{27}=$/.test(text) ? Buffer.from(text, 'base64') : payload;
  if (stamped.length < stampBytes) return readShortMark(stamped[0] ?? 0) === true;
  const stamp = makeStamp();
  const view = new DataView(stamped.buffer, stamped.byteOffset, stamped.byteLength);
  return readStamp(view, 0, stamp) && stamp.measured;
}

/** The visible parts of the records in one direction of a TLS connection, without keys. */
interface TlsSight {
  serverName: string | null;
  /** "TLS 1.3"; from a ServerHello. */
  version: string | null;
  /** Code point of the suite in the ServerHello. */
  suite: number | null;
  /** Certificate subjects, if the certificates are not encrypted. */
  certificates: string[];
}

/** RFC 8446 sections 4 and 5; RFC 6066 section 3. */
const [changeCipherSpec, handshakeRecord, applicationRecord] = [20, 22, 23];
const [clientHello, serverHello, certificate] = [1, 2, 11];
const [serverNameExtension, supportedVersions] = [0, 43];
const recordHeaderBytes = 5;
const versions: Readonly<Record<number, string>> = { 771: 'TLS 1.2', 772: 'TLS 1.3' };
const maxHandshakeBytes = 1 << 20;

/**
 * Reads records: the handshake messages until they are encrypted, and only the lengths of all other records.
 */
class TlsReader implements StreamReader {
  readonly sight: TlsSight = { serverName: null, version: null, suite: null, certificates: [] };
  readonly #onRecord: (bytes: number, atUs: number) => void;
  #record: Buffer = Buffer.alloc(0);
  #handshake: Buffer = Buffer.alloc(0);
  #isEncrypted = false;

  /** `onRecord` is called for application data with the number of bytes after the record header. */
  constructor(onRecord: (bytes: number, atUs: number) => void) {
    this.#onRecord = onRecord;
  }

  onBytes(bytes: Buffer, atUs: number): void {
    this.#record = this.#record.length === 0 ? bytes : Buffer.concat([this.#record, bytes]);
    while (this.#record.length >= recordHeaderBytes) {
      const end = recordHeaderBytes + this.#record.readUInt16BE(3);
      // A long flight that was only captured in part still begins with its hello message.
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
    // A message that contradicts its own lengths is truncated or not TLS, so it is ignored.
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

/** Reads the certificate subjects in the format of TLS 1.2 (RFC 5246 section 7.4.2). */
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
