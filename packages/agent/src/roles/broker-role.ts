import { isCoap } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset, PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { BrokerReady, Drained, PrepareBroker, StartLoad } from '@mqttlab/shared/messages/agent';
import type { Broker, BrokerOptions } from '../brokers/broker.ts';
import { makeCoapServer } from '../brokers/embedded.ts';
import { ExternalBroker } from '../brokers/external.ts';
import { type CpuTime, ProcessGroupCpuTime } from '../instruments/cpu.ts';
import type { Facts } from '../instruments/environment.ts';
import { mergeParts } from '../instruments/instrument.ts';
import { MemoryGuard } from '../instruments/memory.ts';
import { RoleInstruments } from '../instruments/role-instruments.ts';
import { checkAbuseBounds } from '../load/abuse-bounds.ts';
import { type Clock, callAt } from '../load/pacing/clock.ts';
import { emptyLoadResult } from '../load/worker-messages.ts';
import { identifyProcess } from '../processes/child-records.ts';
import { peersOfPort } from '../processes/network.ts';
import { describeAes } from '../tls/aes-instructions.ts';
import { type Device, makeEmptyResult, type RoleDriver, type RunContext } from './role.ts';
import { RunLink } from './run-link.ts';

const progressEveryMs = 1_000;

/** The broker's side of one run. */
export class BrokerRole implements RoleDriver {
  readonly #context: RunContext;
  readonly #command: PrepareBroker;
  readonly #instruments: RoleInstruments;
  readonly #link: RunLink;
  #broker: Broker | null = null;
  #phases: BrokerPhases | null = null;
  #ticker: NodeJS.Timeout | null = null;
  #guard: MemoryGuard | null = null;
  #finishing = false;
  #isReady = false;
  /** Process ids of the broker, the main process first; empty if they are unknown. */
  #processes: readonly number[] = [];

  constructor(context: RunContext, command: PrepareBroker) {
    this.#context = context;
    this.#command = command;
    this.#instruments = new RoleInstruments(context, command);
    this.#link = new RunLink({ context, spec: command.spec, side: 'broker' });
  }

  async prepare(): Promise<BrokerReady> {
    const { device, folder, log } = this.#context;
    const { spec, tls } = this.#command;
    const link = await this.#instruments.prepare(await device.capabilities());
    const broker = makeBroker(device, this.#command, {
      spec,
      tls,
      folder,
      address: link.address,
      fixedListener: this.#command.fixedListener,
      ports: this.#command.ports,
      records: device.records,
      onLog: (level, text) => log.add(level, spec.broker, text),
    });
    if (this.#finishing) throw stoppedEarly();
    this.#broker = broker;
    broker.onExit((lastLines) => this.#reportDeath(lastLines));
    const ready = await broker.start();
    this.#processes = broker.processes ?? (ready.pid === null ? [] : [ready.pid]);
    const { procRoot } = device;
    Object.assign(
      this.#instruments.facts,
      broker.facts(),
      describeReady(ready),
      describeProcess(procRoot, ready.pid, ''),
      describeAes(procRoot, ready.pid),
    );
    const { address, port } = ready;
    await this.#link.prepare({
      order: this.#command.shaping,
      endpoint: { address, port },
      interfaceName: link.name,
    });
    await this.#instruments.listen(port);
    this.#isReady = true;
    log.milestone('agent', `${ready.kind} ${ready.version} listens on ${ready.address}:${ready.port}`);
    return ready;
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    if (!this.#isReady) throw stoppedEarly();
    const pids = this.#processes;
    const { device, events } = this.#context;
    const { clock } = this.#command;
    this.#phases = new BrokerPhases({
      clock: device.clock,
      offset: clock,
      cpu: pids.length === 0 ? null : new ProcessGroupCpuTime(device.procRoot, pids),
      onPhase: events.onPhase,
    });
    this.#instruments.start(at, { pids, helpers: [] });
    this.#phases.start(at);
    this.#guardMemory();
    this.#link.start();
    this.#ticker = setInterval(() => this.#reportProgress(at), progressEveryMs);
    return { pid: pids[0] ?? null };
  }

  /** Called when the measure phase has ended; messages that the broker still forwards count as drain. */
  async drain(): Promise<Drained> {
    this.#phases?.drain();
    this.#instruments.loadEnded();
    await this.#noteClients();
    await this.#link.drain();
    return { messages: 0, timedOut: false };
  }

  async finish(): Promise<RoleResult> {
    this.#finishing = true;
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#guard?.stop();
    const phases = this.#phases?.stop() ?? [];
    await this.#instruments.stop();
    const doubts: RoleResult['degraded'] = [];
    const noteDoubt = (error: unknown) => void doubts.push({ collector: 'broker', reason: reasonOf(error) });
    await this.#describeEnd().then((facts) => Object.assign(this.#instruments.facts, facts), noteDoubt);
    const linked = await this.#link.finish();
    await this.#broker?.stop().catch(noteDoubt);
    const empty = makeEmptyResult(this.#command.role);
    const measured = await this.#instruments.conclude(empty, { ...emptyLoadResult, phases });
    const doubt = this.#broker?.degraded ?? null;
    if (doubt !== null) doubts.push({ collector: 'broker process', reason: doubt });
    return mergeParts(measured, { log: this.#context.log.lines() }, linked, { degraded: doubts });
  }

  /**
   * Reads the clients' addresses while they are connected; the connections of an external broker are on
   * another machine.
   */
  async #noteClients(): Promise<void> {
    const port = this.#instruments.facts['broker.port'];
    if (this.#command.spec.broker === 'external' || typeof port !== 'number') return;
    const peers = peersOfPort(this.#context.device.procRoot, port);
    this.#instruments.facts['link.seenFrom'] = peers.join(', ');
  }

  /** Describes the broker process at the end of the run, before it is stopped. */
  async #describeEnd(): Promise<Facts> {
    const broker = this.#broker;
    if (broker === null || !this.#isReady) return {};
    const pid = broker.pidNow === undefined ? broker.pid : await broker.pidNow();
    return describeProcess(this.#context.device.procRoot, pid, 'AtEnd');
  }

  /** Limits the broker's memory if its sessions are abused. */
  #guardMemory(): void {
    const { spec } = this.#command;
    const [pid] = this.#processes;
    if (spec.workload !== 'availability' || pid === undefined) return;
    const { device, events } = this.#context;
    const { procRoot } = device;
    const { abuseMemoryBytes: maxBytes } = spec;
    this.#guard = new MemoryGuard({ procRoot, pid, maxBytes, onExceeded: events.onFailure });
    this.#guard.start();
  }

  #reportDeath(lastLines: string): void {
    this.#context.events.onFailure({
      code: 'broker-died',
      message: `The broker exited during the run. Its last lines: ${lastLines || 'none'}`,
      remedy: "Check its log and the device's kernel log (out of memory?), then retry the run.",
    });
  }

  #reportProgress(at: StartLoad): void {
    const { device, events } = this.#context;
    const nowUs = device.clock.nowUs() + this.#command.clock.offsetUs;
    events.onProgress({
      role: this.#command.role,
      atMs: Math.round((nowUs - at.measureAtUs) / 1_000),
      messages: 0,
      messagesPerSecond: 0,
      late: 0,
      latencyMs: null,
      ...this.#instruments.progress(),
    });
  }
}

function describeReady(ready: BrokerReady): Facts {
  return {
    'broker.kind': ready.kind,
    'broker.version': ready.version,
    'broker.address': ready.address,
    'broker.port': ready.port,
  };
}

function stoppedEarly(): Failure {
  return new Failure({
    code: 'aborted',
    message: 'The run was ended before the broker was ready.',
    remedy: 'Retry the run.',
  });
}

/** Returns the trial's broker. Throws Failure 'no-broker' if this device does not have it. */
export function makeBroker(
  device: Pick<Device, 'entry' | 'offers' | 'procRoot' | 'sysRoot'>,
  { spec, external }: PrepareBroker,
  options: BrokerOptions,
): Broker {
  checkAbuseBounds(spec);
  if (isCoap(spec)) return makeCoapServer(device.entry, options);
  if (spec.broker === 'external') {
    if (external === null) throw missing('The trial requires an external broker, but none is configured.');
    const { procRoot, sysRoot } = device;
    return new ExternalBroker({ spec, setting: external, procRoot, sysRoot, onLog: options.onLog });
  }
  const offer = device.offers.find(({ capability }) => capability.kind === spec.broker);
  if (offer === undefined) throw missing(`This device has no ${spec.broker} broker.`);
  if (!offer.capability.mqttVersions.includes(spec.mqttVersion)) {
    throw missing(`The ${spec.broker} broker on this device does not support MQTT ${spec.mqttVersion}.`);
  }
  return offer.make(options);
}

/**
 * Returns the identity of the broker process, for the verdict that it did not restart. `suffix` is '' at the
 * start, and 'AtEnd' at the end.
 */
function describeProcess(procRoot: string, pid: number | null, suffix: '' | 'AtEnd'): Facts {
  const found = pid === null ? null : identifyProcess(procRoot, pid);
  return {
    [`process.pid${suffix}`]: found?.pid ?? null,
    [`process.startTicks${suffix}`]: found?.startTicks ?? null,
  };
}

function missing(message: string): Failure {
  const remedy = 'Install it there, set the external broker on the Devices page, or choose another broker.';
  return new Failure({ code: 'no-broker', message, remedy });
}

interface BrokerPhasesOptions {
  clock: Clock;
  offset: ClockOffset;
  /** null if the broker's process is unknown. */
  cpu: CpuTime | null;
  onPhase: (phase: Phase, durationUs: number | null) => void;
}

interface Mark {
  phase: Phase;
  /** Time in µs on this device's clock. */
  atUs: number;
  cpuUs: number | null;
}

/** Follows the agreed instants of a trial, and records the broker's CPU time between them. */
export class BrokerPhases {
  readonly #options: BrokerPhasesOptions;
  readonly #records: PhaseRecord[] = [];
  #open: Mark | null = null;
  #cancels: (() => void)[] = [];

  constructor(options: BrokerPhasesOptions) {
    this.#options = options;
  }

  start(at: StartLoad): void {
    const { clock, offset } = this.#options;
    const instants: [Phase, number][] = [
      ['warm-up', at.warmUpAtUs],
      ['measure', at.measureAtUs],
      ['drain', at.stopAtUs],
    ];
    this.#cancels = instants.map(([phase, dueUs]) =>
      callAt(clock, dueUs - offset.offsetUs, () => this.#enter(phase)),
    );
  }

  /** Called when the load has ended, possibly early: later work by the broker is not measured. */
  drain(): void {
    if (this.#open?.phase !== 'measure') return;
    this.#cancelAll();
    this.#enter('drain');
  }

  /** Closes the current phase; idempotent. */
  stop(): PhaseRecord[] {
    this.#cancelAll();
    this.#close();
    this.#options.cpu?.close();
    return this.#records;
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #enter(phase: Phase): void {
    this.#close();
    this.#open = this.#mark(phase);
    this.#options.onPhase(phase, null);
  }

  #close(): void {
    const begun = this.#open;
    if (begun === null) return;
    const ended = this.#mark(begun.phase);
    this.#open = null;
    const durationUs = ended.atUs - begun.atUs;
    this.#records.push({
      phase: begun.phase,
      startUs: begun.atUs + this.#options.offset.offsetUs,
      durationUs,
      cpuUs: begun.cpuUs === null || ended.cpuUs === null ? null : Math.max(0, ended.cpuUs - begun.cpuUs),
      energyJ: null,
      // Bytes are counted on the clients' sockets, because a broker does not report its bytes.
      bytesSent: null,
      bytesReceived: null,
      connections: 0,
    });
    this.#options.onPhase(begun.phase, durationUs);
  }

  #mark(phase: Phase): Mark {
    const atUs = this.#options.clock.nowUs();
    try {
      return { phase, atUs, cpuUs: this.#options.cpu?.readUs() ?? null };
    } catch {
      return { phase, atUs, cpuUs: null };
    }
  }
}
