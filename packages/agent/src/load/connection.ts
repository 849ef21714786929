import type { ConnectionOptions as TlsOptions } from 'node:tls';
import type { Negotiated, RoleFailure } from '@mqttlab/shared/domain/role-result';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { type RunFailure, reasonOf } from '../run-failure.ts';
import { type NegotiatedTls, plainText, readNegotiatedTls } from '../tls/negotiated.ts';
import { type ConnectionGrant, parseConnack } from './connack.ts';
import { loadFailure, makeLoadFailure, tcpFailure, tlsFailure } from './failures.ts';
import type { MicrosecondClock } from './monotonic.ts';
import { encodeConnect, encodeDisconnect, encodePing, encodeSubscribe } from './mqtt-packets.ts';
import { describeReturnCode } from './mqtt-reasons.ts';
import { type IncomingPublish, PacketParser, type PacketSink, packetTypes } from './packet-parser.ts';
import { Transport } from './transport.ts';
import { within } from './within.ts';

/** What becomes of the messages and acknowledgements of one connection. */
export interface Traffic {
  onPublish(publish: IncomingPublish, atUs: number): void;
  onAcknowledgement(type: number, packetId: number, reasonCode: number): void;
  /** After everything in one chunk was handed over: the time to write replies. */
  afterChunk(): void;
}

export interface ConnectionOptions {
  spec: TrialSpec;
  clientId: string;
  broker: { address: string; port: number };
  /** null when plain. */
  tls: TlsOptions | null;
  clock: MicrosecondClock;
  readBuffer: Buffer;
  /** The connection ended although nobody closed it. */
  onLost: (failure: RoleFailure) => void;
}

/** How long each step of setting up may take. */
const stepTimeoutMs = 15_000;

/** One MQTT connection, set up step by step so that each step can be timed. Every step rejects with RunFailure. */
export class Connection implements PacketSink {
  readonly transport: Transport;
  readonly #options: ConnectionOptions;
  readonly #parser: PacketParser;
  #traffic: Traffic | null = null;
  /** Waits for CONNACK or SUBACK. */
  #answer: { resolve: (packet: Uint8Array) => void; closed: (why: string) => void } | null = null;
  #arrivedUs = 0;
  #grant: ConnectionGrant | null = null;
  #grantedQos: Negotiated['grantedQos'] = null;
  #tls: NegotiatedTls = plainText;
  #ready = false;
  #closing = false;
  #farewell: string | null = null;
  #pinger: NodeJS.Timeout | null = null;

  constructor(options: ConnectionOptions) {
    const { broker, tls, readBuffer } = options;
    this.#options = options;
    this.#parser = new PacketParser(this, { mqtt5: options.spec.mqttVersion === '5.0' });
    this.transport = new Transport({
      ...broker,
      tls,
      readBuffer,
      onBytes: (chunk, length) => this.#receive(chunk, length),
      onGone: (error) => this.#gone(error),
    });
  }

  get grant(): ConnectionGrant | null {
    return this.#grant;
  }

  get negotiatedTls(): NegotiatedTls {
    return this.#tls;
  }

  carry(traffic: Traffic): void {
    this.#traffic = traffic;
  }

  async openTcp(): Promise<void> {
    const { address, port } = this.#options.broker;
    const endpoint = `${address}:${port}`;
    const opened = this.transport.openTcp().catch((error) => Promise.reject(tcpFailure(error, endpoint)));
    await within(stepTimeoutMs, () => timeout(`${endpoint} did not accept the connection`), opened);
  }

  async openTls(): Promise<void> {
    const opened = this.transport.openTls().catch((error) => Promise.reject(tlsFailure(error)));
    await within(stepTimeoutMs, () => timeout('the TLS handshake did not end'), opened);
    const socket = this.transport.tlsSocket;
    if (socket !== null) this.#tls = readNegotiatedTls(socket, this.#options.spec);
  }

  /** CONNECT to CONNACK. */
  async openMqtt(): Promise<void> {
    const { mqttVersion } = this.#options.spec;
    const packet = await this.#ask(encodeConnect(mqttVersion, this.#options.clientId), 'connack-refused');
    const grant = parseConnack(packet, mqttVersion);
    if (grant.code !== 0) {
      const reason = [describeReturnCode(grant.code, mqttVersion), grant.reason].filter(Boolean).join(': ');
      throw loadFailure('connack-refused', `The broker refused MQTT ${mqttVersion}: ${reason}.`);
    }
    const { qos } = this.#options.spec;
    if (grant.maximumQos < qos) {
      throw loadFailure(
        'negotiation-mismatch',
        `The broker allows QoS ${grant.maximumQos} at most, not ${qos}.`,
      );
    }
    this.#grant = grant;
    this.#ready = true;
    if (grant.serverKeepAliveS > 0) this.#keepAlive(grant.serverKeepAliveS);
  }

  /** SUBSCRIBE to SUBACK. */
  async subscribe(): Promise<void> {
    const { spec } = this.#options;
    const packet = await this.#ask(encodeSubscribe(spec), 'suback-refused');
    // One subscription, so the last byte is its return code (MQTT 5 section 3.9.3).
    const code = packet[packet.length - 1] ?? 0x80;
    if (code > 2) {
      const reason = describeReturnCode(code, '5.0');
      throw loadFailure('suback-refused', `The broker refused to subscribe to ${spec.topic}: ${reason}.`);
    }
    if (code < spec.qos) {
      throw loadFailure('negotiation-mismatch', `The broker granted QoS ${code} instead of ${spec.qos}.`);
    }
    this.#grantedQos = code;
  }

  /** DISCONNECT to the closed socket. Never rejects, but waits for the broker without end. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#pinger !== null) clearInterval(this.#pinger);
    if (this.#ready) await this.transport.end(encodeDisconnect());
    this.transport.destroy();
  }

  negotiated(): Negotiated {
    const { spec, broker } = this.#options;
    return {
      ...this.#tls,
      mqttVersion: spec.mqttVersion,
      grantedQos: this.#grantedQos,
      receiveMaximum: this.#grant?.receiveMaximum ?? null,
      maximumPacketBytes: this.#grant?.maximumPacketBytes ?? null,
      localAddress: this.transport.localAddress,
      localPort: this.transport.localPort,
      remoteAddress: broker.address,
      remotePort: broker.port,
    };
  }

  onPublish(publish: IncomingPublish): void {
    this.#traffic?.onPublish(publish, this.#arrivedUs);
  }

  onAcknowledgement(type: number, packetId: number, reasonCode: number): void {
    this.#traffic?.onAcknowledgement(type, packetId, reasonCode);
  }

  onControl(type: number, packet: Uint8Array): void {
    if (type === packetTypes.connack || type === packetTypes.suback) {
      this.#answer?.resolve(packet.slice());
      this.#answer = null;
    } else if (type === packetTypes.disconnect) {
      this.#farewell = describeReturnCode(packet[2] ?? 0, this.#options.spec.mqttVersion);
    }
  }

  #receive(chunk: Uint8Array, length: number): void {
    this.#arrivedUs = this.#options.clock.nowUs();
    try {
      this.#parser.push(chunk, length);
      this.#traffic?.afterChunk();
    } catch (error) {
      this.#farewell = `it sent ${reasonOf(error)}`;
      this.transport.destroy();
    }
  }

  async #ask(packet: Buffer, refusal: 'connack-refused' | 'suback-refused'): Promise<Uint8Array> {
    const answer = new Promise<Uint8Array>((resolve, reject) => {
      this.#answer = {
        resolve,
        closed: (why) => reject(loadFailure(refusal, `The broker closed the connection: ${why}.`)),
      };
    });
    this.transport.write(packet, () => {});
    return await within(stepTimeoutMs, () => timeout('the broker did not answer the MQTT request'), answer);
  }

  #gone(error: Error | null): void {
    if (this.#pinger !== null) clearInterval(this.#pinger);
    const why = this.#farewell ?? (error === null ? 'no reason given' : error.message);
    this.#answer?.closed(why);
    this.#answer = null;
    if (!this.#ready || this.#closing) return;
    const message = `Connection ${this.#options.clientId} ended in mid-run: ${why}.`;
    this.#options.onLost(makeLoadFailure('connection-lost', message));
  }

  /** Server Keep Alive overrules ours (MQTT 5 section 3.2.2.3.14). */
  #keepAlive(seconds: number): void {
    this.#pinger = setInterval(() => this.transport.write(encodePing(), () => {}), seconds * 500);
  }
}

function timeout(what: string): RunFailure {
  return loadFailure('timeout', `Gave up after ${stepTimeoutMs / 1000} s: ${what}.`);
}
