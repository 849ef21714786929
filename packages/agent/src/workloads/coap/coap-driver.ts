import type { Socket } from 'node:dgram';
import { isLoopbackAddress } from '@mqttlab/shared/domain/devices/network-address';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import type { Agent } from 'coap';
import { loadFailure } from '../../base/load-failures.ts';
import {
  emptyLoadResult,
  type LoadDriver,
  type LoadDriverOptions,
  type LoadResult,
  type LoadSnapshot,
  type PrepareWorker,
} from '../../load-process/worker-messages.ts';
import type { WireBytes } from '../../mqtt/connection-source.ts';
import { toLocalInstants } from '../../pacing/timeline.ts';
import { plainText } from '../../tls/negotiated.ts';
import { PhaseMeter } from '../counting/phase-meter.ts';
import { PacedLoad } from '../publisher-load.ts';
import { type CoapPublisher, makeCoapSending } from './coap-publisher.ts';
import type { CoapTotals } from './coap-totals.ts';

export interface CoapDriverOptions extends Omit<LoadDriverOptions, 'command'> {
  command: PrepareWorker;
}

/** For a confirmable request and, where it gets lost, some of its repetitions. */
const answerTimeoutMs = 30_000;
/** Datagrams do not pass it. */
const noCarrier = { writer: { write: () => {} }, grant: null };

/** The publishers of a Run over CoAP, paced as those of MQTT; its subscriber has nothing to do. */
export class CoapDriver implements LoadDriver {
  /** This very process. */
  readonly processes = null;
  readonly #options: CoapDriverOptions;
  readonly #meter: PhaseMeter;
  readonly #load: PacedLoad<CoapPublisher>;
  readonly #totals: CoapTotals;
  readonly #ends: { agent: Agent; socket: Socket }[] = [];
  readonly #publishers: CoapPublisher[] = [];
  #startedAt: StartLoad | null = null;
  /** null until somebody answered. */
  #negotiated: Negotiated | null = null;
  #finished = false;

  constructor(options: CoapDriverOptions) {
    const { command, clock, onPhase } = options;
    this.#options = options;
    const sending = makeCoapSending({ command, clock }, (index) => this.#endOf(index));
    this.#totals = sending.totals;
    this.#load = new PacedLoad({ command, clock, payloadCipher: null }, sending);
    this.#meter = new PhaseMeter({
      nowUs: () => this.#testbedUs(),
      wireBytes: () => this.wireBytes(),
      onPhase,
    });
  }

  get role(): PrepareClient['role'] {
    return this.#options.command.role;
  }

  async prepare(): Promise<void> {
    const { spec, broker, role, localAddress } = this.#options.command;
    if (role !== 'publisher') return;
    // Loaded where it is needed only: it would delay every other worker.
    const [{ Agent }, { openUdpSocket, rehearseCoap }] = await Promise.all([
      import('coap'),
      import('./coap-endpoint.ts'),
    ]);
    if (this.#options.rehearses) await rehearseCoap();
    for (let index = 0; index < spec.publishers; index += 1) {
      const socket = await openUdpSocket(localAddress ?? ownAddressFor(broker.address));
      this.#ends.push({ socket, agent: new Agent({ socket }) });
      this.#publishers.push(this.#load.attach(noCarrier, index));
    }
  }

  #endOf(index: number): { agent: Agent; socket: Socket } {
    const end = this.#ends[index];
    if (!end) throw new RangeError(`CoAP client ${index} has no socket`);
    return end;
  }

  /** One request of each client that is answered: there is no connection to open. */
  async connect(): Promise<Connected> {
    const { address, port } = this.#options.command.broker;
    const answered = Promise.all(this.#publishers.map((publisher) => publisher.reach()));
    const tooLong = () => loadFailure('timeout', `The CoAP server on ${address}:${port} did not answer.`);
    await within(answerTimeoutMs, tooLong, answered);
    const socket = this.#ends[0]?.socket ?? null;
    const negotiated = describeEnds({ address, port, socket });
    // A subscriber talks to nobody.
    if (socket !== null) this.#negotiated = negotiated;
    return { negotiated };
  }

  start(at: StartLoad): void {
    if (this.#startedAt !== null) return;
    const { command, clock } = this.#options;
    const { answers } = this.#totals;
    this.#startedAt = at;
    const instants = toLocalInstants(at, command.clock.offsetUs);
    answers.open(instants);
    this.#load.start(instants, (phase) => {
      if (phase === 'drain') answers.close(clock.nowUs());
      this.#meter.begin(phase, this.#publishers.length);
    });
  }

  async drain(): Promise<Drained> {
    // Only publishers know when a load of so many messages is over.
    if (this.#publishers.length === 0) this.#load.endNow();
    const drained = await this.#load.drain();
    this.#meter.end({ connections: this.#publishers.length });
    return drained;
  }

  progress(): (LoadSnapshot & { atMs: number }) | null {
    if (this.#startedAt === null || this.#finished) return null;
    const atMs = (this.#testbedUs() - this.#startedAt.measureAtUs) / 1000;
    return { ...this.#load.snapshot(), latencyMs: this.#totals.recent.take(), atMs };
  }

  cutBucket(): LoadSnapshot['latencyMs'] {
    return this.#totals.recent.cutBucket();
  }

  wireBytes(): WireBytes {
    return { ...this.#totals.wire };
  }

  async finish(): Promise<LoadResult> {
    const localPorts = this.#ends.map(({ socket }) => socket.address().port);
    this.#finished = true;
    this.#load.stop();
    for (const publisher of this.#publishers) publisher.abandon();
    this.#meter.end({ connections: this.#publishers.length });
    for (const { socket } of this.#ends.splice(0)) socket.close();
    const { counters, ...figures } = this.#load.figures();
    return {
      ...emptyLoadResult,
      phases: [...this.#meter.records],
      negotiated: this.#negotiated,
      localPorts,
      ...(this.role === 'publisher' ? figures : {}),
      counters: this.#startedAt === null ? null : counters,
    };
  }

  #testbedUs(): number {
    return this.#options.clock.nowUs() + this.#options.command.clock.offsetUs;
  }
}

/** Where nothing says which: on the loopback the same as the server's, else whatever the kernel chooses. */
function ownAddressFor(address: string): string {
  if (isLoopbackAddress(address)) return address;
  return address.includes(':') ? '::' : '0.0.0.0';
}

/** UDP negotiates nothing: only who talks to whom. */
function describeEnds(ends: { address: string; port: number; socket: Socket | null }): Negotiated {
  const local = ends.socket?.address();
  return {
    ...plainText,
    mqttVersion: 'none: CoAP',
    grantedQos: null,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: local?.address ?? '',
    localPort: local?.port ?? 0,
    remoteAddress: ends.address,
    remotePort: ends.port,
  };
}
