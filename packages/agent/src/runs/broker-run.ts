import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { BrokerReady, Drained, PrepareBroker, StartLoad } from '@mqttlab/shared/messages/agent';
import { peersOfPort } from '../base/tcp-tables.ts';
import type { Broker } from '../brokers/broker.ts';
import { MemoryGuard } from '../load-process/memory-guard.ts';
import { emptyLoadResult } from '../load-process/worker-messages.ts';
import { ProcessGroupCpuTime } from '../sampling/process-group.ts';
import { describeAes } from '../tls/aes-instructions.ts';
import { BrokerPhases } from './broker-phases.ts';
import type { Facts } from './environment.ts';
import { describeProcess, makeBroker } from './make-broker.ts';
import type { RoleRun, RunContext } from './role-run.ts';
import { RoleWatch } from './role-watch.ts';
import { RunLink } from './run-link.ts';
import { RunPackets } from './run-packets.ts';

const progressEveryMs = 1_000;

/** The broker's side of one Run. */
export class BrokerRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareBroker;
  readonly #watch: RoleWatch;
  readonly #link: RunLink;
  readonly #packets: RunPackets;
  #broker: Broker | null = null;
  #phases: BrokerPhases | null = null;
  #ticker: NodeJS.Timeout | null = null;
  #guard: MemoryGuard | null = null;
  #finishing = false;
  #isReady = false;
  /** The broker's, the main one first; empty where they are not known. */
  #processes: readonly number[] = [];

  constructor(context: RunContext, command: PrepareBroker) {
    this.#context = context;
    this.#command = command;
    this.#watch = new RoleWatch(context, command);
    this.#link = new RunLink({ context, spec: command.spec, side: 'broker' });
    this.#packets = new RunPackets(context);
  }

  async prepare(): Promise<BrokerReady> {
    const { device, folder, log } = this.#context;
    const { spec, tls } = this.#command;
    const link = await this.#watch.prepare(await device.capabilities());
    const broker = makeBroker(device, this.#command, {
      spec,
      tls,
      folder,
      address: link.address,
      entrance: this.#command.entrance,
      records: device.records,
      onLog: (level, text) => log.add(level, spec.broker, text),
    });
    if (this.#finishing) throw stoppedEarly();
    this.#broker = broker;
    broker.onExit((lastLines) => this.#tellDeath(lastLines));
    const ready = await broker.start();
    this.#processes = broker.processes ?? (ready.pid === null ? [] : [ready.pid]);
    const { procRoot } = device;
    Object.assign(
      this.#watch.facts,
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
    await this.#packets.start(spec, port);
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
    this.#watch.start(at, pids);
    this.#phases.start(at);
    this.#guardMemory();
    this.#link.start();
    this.#ticker = setInterval(() => this.#tellProgress(at), progressEveryMs);
    return { pid: pids[0] ?? null };
  }

  /** The measure phase is over; what the broker still forwards counts as drain. */
  async drain(): Promise<Drained> {
    this.#phases?.drain();
    await this.#noteClients();
    await this.#link.drain();
    return { messages: 0, timedOut: false };
  }

  async finish(): Promise<RoleResult> {
    this.#finishing = true;
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#guard?.stop();
    const phases = this.#phases?.stop() ?? [];
    await this.#watch.stop();
    const doubts: RoleResult['degraded'] = [];
    const noteDoubt = (error: unknown) => void doubts.push({ collector: 'broker', reason: reasonOf(error) });
    await this.#describeEnd().then((facts) => Object.assign(this.#watch.facts, facts), noteDoubt);
    const { degraded: linkDoubts, ...linked } = await this.#link.finish();
    await this.#broker?.stop().catch(noteDoubt);
    const { degraded: captureDoubts, ...captured } = await this.#packets.finish();
    const { degraded, ...watched } = await this.#watch.conclude({ ...emptyLoadResult, phases });
    const doubt = this.#broker?.degraded ?? null;
    return {
      role: this.#command.role,
      share: { index: 0, of: 1 },
      upstream: null,
      bridge: null,
      ...watched,
      ...linked,
      ...captured,
      degraded: [
        ...degraded,
        ...doubts,
        ...linkDoubts,
        ...captureDoubts,
        ...(doubt === null ? [] : [{ collector: 'broker process', reason: doubt }]),
      ],
    };
  }

  /** While they are still connected; an external broker's are on another machine. */
  async #noteClients(): Promise<void> {
    const port = this.#watch.facts['broker.port'];
    if (this.#command.spec.broker === 'external' || typeof port !== 'number') return;
    const peers = peersOfPort(this.#context.device.procRoot, port);
    this.#watch.facts['link.seenFrom'] = peers.join(', ');
  }

  /** Who plays the broker as the Run ends, before it is stopped. */
  async #describeEnd(): Promise<Facts> {
    const broker = this.#broker;
    if (broker === null || !this.#isReady) return {};
    const pid = broker.pidNow === undefined ? broker.pid : await broker.pidNow();
    return describeProcess(this.#context.device.procRoot, pid, 'AtEnd');
  }

  /** Only where its sessions are abused. */
  #guardMemory(): void {
    const { spec } = this.#command;
    const [pid] = this.#processes;
    if (spec.workload !== 'availability' || pid === undefined) return;
    const { device, events } = this.#context;
    const { procRoot } = device;
    const { abuseMemoryBytes: maxBytes } = spec;
    this.#guard = new MemoryGuard({ procRoot, pid, maxBytes, onExceeded: events.onTrouble });
    this.#guard.start();
  }

  #tellDeath(lastLines: string): void {
    this.#context.events.onTrouble({
      code: 'broker-died',
      message: `The broker ended during the run. Its last lines: ${lastLines || 'none'}`,
      remedy: 'Look at its log and at the kernel log of the device (out of memory?), then retry the Run.',
    });
  }

  #tellProgress(at: StartLoad): void {
    const { device, events } = this.#context;
    const nowUs = device.clock.nowUs() + this.#command.clock.offsetUs;
    events.onProgress({
      role: this.#command.role,
      atMs: Math.round((nowUs - at.measureAtUs) / 1_000),
      messages: 0,
      messagesPerSecond: 0,
      late: 0,
      latencyMs: null,
      ...this.#watch.progress(),
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
    message: 'The Run was ended before the broker was up.',
    remedy: 'Retry the Run.',
  });
}
