import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  type CapturedConnection,
  type CapturedSize,
  captureLimits,
  type RunCapture,
} from '@mqttlab/shared/domain/runs/capture';
import { MqttReader, type SeenPublish } from './mqtt-reader.ts';
import { type PcapFile, readPcap, type Segment } from './read-pcap.ts';
import { suiteOfCode } from './suite-codes.ts';
import { TcpStream } from './tcp-stream.ts';
import { TlsReader } from './tls-reader.ts';

export type CaptureFindings = Pick<
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

/** What a capture of the broker's port shows to whoever has no keys. Throws RangeError where the file cannot be read. */
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
    // The client's port may be used again by a later connection.
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
  /** Bytes that came behind the client's FIN: they reach nobody where its kernel then answers with RST. */
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
    // The frames of WebSocket around MQTT are not taken off.
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
