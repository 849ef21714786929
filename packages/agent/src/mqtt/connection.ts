import { keepAlive } from '@mqttlab/shared/catalogue/factors/keep-alive';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { MicrosecondClock } from '../load/pacing/clock.ts';
import { loadFailure, makeLoadFailure, tcpFailure, tlsFailure } from '../processes/failures.ts';
import type { TlsProvider } from '../tls/client-tls.ts';
import { type NegotiatedTls, plainText, readNegotiatedTls } from '../tls/negotiated.ts';
import {
  type ConnectionGrant,
  checkGrant,
  describeReturnCode,
  parseConnack,
  readGrantedQos,
} from './connection-grant.ts';
import { type IncomingPublish, PacketParser, type PacketSink, packetTypes } from './packet-parser.ts';
import {
  type ByteWriter,
  encodeConnect,
  encodeDisconnect,
  encodePing,
  encodeSubscribe,
  type MqttSession,
  neededPacketBytes,
} from './packets.ts';
import { type BrokerEndpoint, Transport } from './transport.ts';
import { WebSocket } from './web-socket.ts';

/** Handler for the messages and acknowledgements on one connection. */
export interface Traffic {
  onPublish(publish: IncomingPublish, atUs: number): void;
  onAcknowledgement(type: number, packetId: number, reasonCode: number): void;
  /** Called after every packet in a chunk was passed on: the time to write replies. */
  afterChunk(): void;
  /** Called if a chunk ended inside a packet, so that more of a message will follow. */
  onPiece?(): void;
}

/** Handler for events on one connection other than its messages. */
export interface ConnectionListener {
  /** Called when the connection ended without `close`. */
  onLost: (failure: RoleFailure) => void;
  /** Called when the broker responded to `ping`. */
  onPong?: () => void;
  /**
   * Called when the broker closed its half. If this handler is present, the local half stays open until the
   * transport is destroyed.
   */
  onHalfClosed?: () => void;
}

/** Listener for a connection whose loss is detected by the call that uses it. */
export const ignoreLoss: ConnectionListener = { onLost: () => {} };

export interface ConnectionOptions {
  spec: TrialSpec;
  broker: BrokerEndpoint;
  /** null without TLS. */
  tls: TlsProvider | null;
  /**
   * If `keepAliveS` is set, no ping is sent and the keep-alive is violated. If absent, the trial's keep-alive
   * is respected.
   */
  session: MqttSession;
  clock: MicrosecondClock;
  /** Buffer into which all connections without TLS are read. */
  readBuffer: Buffer;
  /** Number of bytes to retain of a packet in several chunks; if absent, the size of the trial's payloads. */
  retainedBytes?: number;
  listener: ConnectionListener;
}

/** Timeout for each step of the set-up, in ms. */
const stepTimeoutMs = 15_000;

/** One MQTT connection, set up step by step so that each step can be timed. Every step rejects with Failure. */
export class Connection implements PacketSink {
  readonly transport: Transport;
  /** Lengths of CONNECT and then of SUBSCRIBE, each including the response. */
  readonly answered: { bytes: number; answerBytes: number }[] = [];
  /**
   * Time at which SYN was sent, by the given clock; null before. Creating a socket takes longer than a
   * handshake with a nearby broker.
   */
  attemptedUs: number | null = null;
  readonly #options: ConnectionOptions;
  readonly #parser: PacketParser;
  /** null over TCP. */
  readonly #webSocket: WebSocket | null;
  #traffic: Traffic | null = null;
  /** Waits for CONNACK or SUBACK. */
  #answer: { resolve: (packet: Uint8Array) => void; closed: (why: string) => void } | null = null;
  #arrivedUs = 0;
  #grant: ConnectionGrant | null = null;
  #grantedQos: Negotiated['grantedQos'] = null;
  #tls: NegotiatedTls | null = null;
  /** True if the TLS handshake is complete. */
  #secured = false;
  #ready = false;
  #closing = false;
  #endReason: string | null = null;
  #pinger: NodeJS.Timeout | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#parser = new PacketParser(this, {
      mqtt5: options.spec.mqttVersion === '5.0',
      retainedBytes: options.retainedBytes ?? neededPacketBytes(options.spec),
    });
    this.transport = new Transport(options, {
      onAttempt: () => {
        this.attemptedUs = options.clock.nowUs();
      },
      onBytes: (chunk, length) => this.#receive(chunk, length),
      onHalfClosed: options.listener.onHalfClosed ?? null,
      onClosed: (error) => this.#end(error),
    });
    this.#webSocket = options.spec.transport === 'websocket' ? this.#makeWebSocket() : null;
  }

  get encrypted(): boolean {
    return this.#options.tls !== null;
  }

  /** Writer for outgoing packets. */
  get writer(): ByteWriter {
    return this.#webSocket ?? this.transport;
  }

  get grant(): ConnectionGrant | null {
    return this.#grant;
  }

  /**
   * Returns the TLS parameters. They are read at the first access, because reading takes as long as a phase.
   */
  get negotiatedTls(): NegotiatedTls {
    if (this.#tls !== null) return this.#tls;
    const socket = this.transport.tlsSocket;
    if (socket === null || !this.#secured) return plainText;
    this.#tls = readNegotiatedTls(socket, this.#options.spec);
    return this.#tls;
  }

  /**
   * Checks that the session is full or resumed as the trial requires; fast enough for hundreds of
   * connections. The client offers one version, suite and group only, so nothing else can differ from the
   * first connection.
   */
  findSessionMismatch(): RoleFailure | null {
    const resumed = this.transport.tlsSocket?.isSessionReused() ?? null;
    const wanted = this.#options.spec.session === 'resumed';
    if (resumed === null || resumed === wanted) return null;
    const nameOf = (isResumed: boolean) => (isResumed ? 'a resumed one' : 'a full handshake');
    const message = `The session should be ${nameOf(wanted)}, but it is ${nameOf(resumed)}.`;
    return makeLoadFailure('negotiation-mismatch', message);
  }

  /** Performs all steps up to CONNACK, for callers that do not time the steps. */
  async open(): Promise<void> {
    await this.openTcp();
    if (this.encrypted) await this.openTls();
    await this.openMqtt();
  }

  setTraffic(traffic: Traffic): void {
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
    this.#secured = true;
  }

  /** Sends CONNECT and waits for CONNACK; over WebSocket, after the upgrade. */
  async openMqtt(): Promise<void> {
    const { spec, session } = this.#options;
    if (this.#webSocket !== null) {
      const upgraded = this.#webSocket.open();
      await within(stepTimeoutMs, () => timeout('the broker did not answer the WebSocket upgrade'), upgraded);
    }
    const announced = { keepAliveS: keepAlive.of(spec), ...session };
    const packet = await this.#ask(encodeConnect(spec.mqttVersion, announced), 'connack-refused');
    const grant = parseConnack(packet, spec.mqttVersion);
    checkGrant(grant, this.#options.spec);
    this.#grant = grant;
    this.#ready = true;
    // Server Keep Alive overrides the client's (MQTT 5 section 3.2.2.3.14).
    const keptS = grant.serverKeepAliveS || announced.keepAliveS;
    if (keptS > 0 && session.keepAliveS === undefined) this.#keepAlive(keptS);
  }

  /** Sends SUBSCRIBE and waits for SUBACK. */
  async subscribe(): Promise<void> {
    const { spec } = this.#options;
    const packet = await this.#ask(encodeSubscribe(spec), 'suback-refused');
    this.#grantedQos = readGrantedQos(packet, spec);
  }

  ping(): void {
    this.writer.write(encodePing(), () => {});
  }

  /**
   * Sends DISCONNECT without closing the connection: the broker closes it. The local half stays open if that
   * was requested.
   */
  leave(): void {
    this.#closing = true;
    this.writer.write(encodeDisconnect(), () => {});
  }

  /** Sends DISCONNECT and waits without a time limit until the socket is closed. Never rejects. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#pinger !== null) clearInterval(this.#pinger);
    if (this.#ready)
      await this.transport.end(this.#webSocket?.encodeEnd(encodeDisconnect()) ?? encodeDisconnect());
    this.transport.destroy();
  }

  negotiated(): Negotiated {
    const { spec, broker } = this.#options;
    return {
      ...this.negotiatedTls,
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
    } else if (type === packetTypes.pingresp) {
      this.#options.listener.onPong?.();
    } else if (type === packetTypes.disconnect) {
      this.#endReason = describeReturnCode(packet[2] ?? 0, this.#options.spec.mqttVersion);
    }
  }

  #makeWebSocket(): WebSocket {
    const { address, port } = this.#options.broker;
    return new WebSocket({
      to: this.transport,
      host: `${address.includes(':') ? `[${address}]` : address}:${port}`,
      onPayload: (chunk, end, start) => this.#parser.push(chunk, end, start),
    });
  }

  #receive(chunk: Uint8Array, length: number): void {
    this.#arrivedUs = this.#options.clock.nowUs();
    try {
      if (this.#webSocket === null) this.#parser.push(chunk, length);
      else this.#webSocket.receive(chunk, length);
      this.#traffic?.afterChunk();
      if (this.#parser.isIncomplete) this.#traffic?.onPiece?.();
    } catch (error) {
      this.#endReason = reasonOf(error);
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
    this.writer.write(packet, () => {});
    const tooLong = () => timeout('the broker did not answer the MQTT request');
    const bytes = await within(stepTimeoutMs, tooLong, answer);
    this.answered.push({ bytes: packet.length, answerBytes: bytes.length });
    return bytes;
  }

  #end(error: Error | null): void {
    if (this.#pinger !== null) clearInterval(this.#pinger);
    const why = this.#endReason ?? (error === null ? 'no reason given' : error.message);
    this.#webSocket?.lose(why);
    this.#answer?.closed(why);
    this.#answer = null;
    if (!this.#ready || this.#closing) return;
    const { session, listener } = this.#options;
    const message = `Connection ${session.clientId} ended during the run: ${why}.`;
    listener.onLost(makeLoadFailure('connection-lost', message));
  }

  /**
   * Checks twice in each period: a connection that has sent anything in the meantime needs no ping (section
   * 3.1.2.10).
   */
  #keepAlive(seconds: number): void {
    let sent = this.transport.bytesSent;
    this.#pinger = setInterval(() => {
      if (this.transport.bytesSent === sent) this.ping();
      sent = this.transport.bytesSent;
    }, seconds * 500);
  }
}

const timeout = (what: string) =>
  loadFailure('timeout', `Timed out after ${stepTimeoutMs / 1000} s: ${what}.`);
