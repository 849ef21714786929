import { setTimeout as wait } from 'node:timers/promises';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { Connected, Drained, PrepareBridge, StartLoad } from '@mqttlab/shared/messages/agent';
import { mergeParts } from '../instruments/instrument.ts';
import { RoleInstruments } from '../instruments/role-instruments.ts';
import type { LoadWorkerProcess, SpareWorker, WorkerListeners } from '../load/load-worker-process.ts';
import type { BridgeTally, LoadResult, PrepareBridgeWorker } from '../load/worker-messages.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { bindTo, makeEmptyResult, type RoleDriver, type RunContext, readLoadResult } from './role.ts';

/** The bridge's side of one run: its process, which is restarted if it dies, and the instruments. */
export class BridgeRole implements RoleDriver {
  readonly #context: RunContext;
  readonly #command: PrepareBridge;
  readonly #instruments: RoleInstruments;
  readonly #worker: BridgeWorker;

  constructor(context: RunContext, command: PrepareBridge) {
    const { device, events, log } = context;
    this.#context = context;
    this.#command = command;
    this.#instruments = new RoleInstruments(context, command);
    this.#worker = new BridgeWorker({
      workers: device.workers,
      listeners: {
        onPhase: events.onPhase,
        onLog: (level, text) => log.add(level, 'bridge', text),
        onProgress: this.#instruments.onProgress,
      },
      onLog: (level, text) => log.add(level, 'agent', text),
      onFailure: events.onFailure,
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { spec, cloud } = this.#command;
    const link = await this.#instruments.prepare(await this.#context.device.capabilities());
    await this.#worker.prepare({ ...this.#command, ...bindTo(link) });
    const { pid } = this.#worker;
    this.#instruments.facts['process.pid'] = pid;
    this.#instruments.facts['bridge.cloudBrokers'] = cloud.brokers.length;
    this.#context.log.milestone(
      'agent',
      `the bridge is ready (${spec.payloadCipher ?? 'payload not encrypted'})`,
    );
    return { pid };
  }

  async connect(): Promise<Connected> {
    return await this.#worker.connect();
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const { pid } = this.#worker;
    if (pid !== null) this.#instruments.start(at, { pids: [pid], helpers: [] });
    await this.#worker.startLoad(at);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    return await this.#worker.drain(expected);
  }

  async finish(): Promise<RoleResult> {
    await this.#instruments.stop();
    const load = await readLoadResult(() => this.#worker.finish());
    await this.#worker.stop();
    const measured = await this.#instruments.conclude(makeEmptyResult('bridge'), load);
    return mergeParts(measured, { log: this.#context.log.lines() });
  }
}

interface BridgeWorkerOptions {
  workers: Pick<SpareWorker, 'take'>;
  listeners: Omit<WorkerListeners, 'onFailure' | 'onTally'>;
  onLog: (level: LogLine['level'], text: string) => void;
  /** Called if the process could not be restarted. */
  onFailure: (failure: RoleFailure) => void;
}

const maxAttempts = 5;
const pauses = { firstMs: 100, longestMs: 500 };

/**
 * The process of a bridge, which is restarted if it dies. The new process resumes its session on the local
 * broker, which stores every message that the cloud has not acknowledged. The counts of the dead processes
 * are added to those of the current one.
 */
class BridgeWorker {
  readonly #options: BridgeWorkerOptions;
  #command: PrepareBridgeWorker | null = null;
  #worker: LoadWorkerProcess | null = null;
  #startedAt: StartLoad | null = null;
  #isConnected = false;
  /** Totals of dead processes, and the last report from the current process. */
  #carried: BridgeTally = noTally;
  #tally: BridgeTally = noTally;
  #restarting: Promise<void> | null = null;
  #ending = false;

  constructor(options: BridgeWorkerOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#worker?.pid ?? null;
  }

  /** Prepares the first process. Rejects with Failure, as do the steps after it. */
  async prepare(command: PrepareBridgeWorker): Promise<void> {
    this.#command = command;
    await this.#launch();
  }

  async connect(): Promise<Connected> {
    const { negotiated } = await this.#present().connect();
    this.#isConnected = true;
    return { negotiated };
  }

  async startLoad(at: StartLoad): Promise<void> {
    this.#startedAt = at;
    await this.#present().startLoad(at);
  }

  async drain(expected: number | null): Promise<Drained> {
    for (;;) {
      await this.#restarting;
      const worker = this.#present();
      const before = this.#carried.counters.received;
      try {
        const { messages, timedOut } = await worker.drain(expected && Math.max(0, expected - before));
        return { messages: messages + before, timedOut };
      } catch (error) {
        // The process died while draining: the next process continues.
        if (this.#restarting === null) throw error;
      }
    }
  }

  async finish(): Promise<LoadResult> {
    this.#ending = true;
    await this.#restarting;
    const result = await this.#present().finish();
    const { restarts } = this.#carried.bridge;
    if (restarts === 0) return result;
    const own = { bridge: result.bridge ?? noTally.bridge, counters: result.counters ?? noTally.counters };
    const reason = `The bridge process died ${restarts} times. The last counts before each restart, the heartbeats and the times of single messages are missing.`;
    return {
      ...result,
      ...addTallies(this.#carried, own),
      degraded: [...result.degraded, { collector: 'bridge', reason }],
    };
  }

  /** Stops every process; idempotent, never rejects. */
  async stop(): Promise<void> {
    this.#ending = true;
    await this.#restarting;
    await this.#worker?.stop();
  }

  async #launch(): Promise<void> {
    const command = this.#command;
    if (command === null) throw new Error('the bridge is not prepared');
    const listeners: WorkerListeners = {
      ...this.#options.listeners,
      onTally: (tally) => {
        if (worker === this.#worker) this.#tally = tally;
      },
      onFailure: (failure) => this.#handleDeath(worker, failure),
    };
    const { worker, started } = this.#options.workers.take(listeners, aesEnvironment(command.spec));
    this.#worker = worker;
    await started;
    await worker.prepare(command);
  }

  #handleDeath(worker: LoadWorkerProcess, failure: RoleFailure): void {
    // Before it is connected, nothing can be lost, so this is an ordinary failure.
    if (worker !== this.#worker || this.#ending || this.#restarting !== null) return;
    if (!this.#isConnected) {
      this.#options.onFailure(failure);
      return;
    }
    this.#options.onLog('error', `${failure.message} It is restarted.`);
    this.#restarting = this.#restart(failure).finally(() => {
      this.#restarting = null;
    });
  }

  /** Never rejects. */
  async #restart(failure: RoleFailure): Promise<void> {
    const backoff = new Backoff(pauses);
    for (let attempt = 1; attempt <= maxAttempts && !this.#ending; attempt += 1) {
      this.#carried = addTallies(this.#carried, this.#tally);
      this.#carried.bridge.restarts += 1;
      this.#tally = noTally;
      try {
        await this.#launch();
        await this.#present().connect();
        if (this.#startedAt !== null) await this.#present().startLoad(this.#startedAt);
        this.#options.onLog('warn', `The bridge was restarted as process ${this.pid}.`);
        return;
      } catch (error) {
        this.#options.onLog('warn', `The bridge could not be restarted: ${reasonOf(error)}`);
        await this.#worker?.stop();
        await wait(backoff.next());
      }
    }
    if (!this.#ending) this.#options.onFailure(failure);
  }

  #present(): LoadWorkerProcess {
    if (this.#worker !== null) return this.#worker;
    throw new Error('there is no bridge');
  }
}

const noTally: BridgeTally = {
  bridge: {
    received: 0,
    verified: 0,
    rejected: 0,
    duplicates: 0,
    reencrypted: 0,
    forwarded: 0,
    resent: 0,
    refused: 0,
    pauses: 0,
    localReconnects: 0,
    cloudReconnects: 0,
    failovers: 0,
    missedHeartbeats: 0,
    restarts: 0,
  },
  counters: makeCounters(),
};

/** Adds two tallies counter by counter; changes neither argument. */
function addTallies(one: BridgeTally, other: BridgeTally): BridgeTally {
  return { bridge: add(one.bridge, other.bridge), counters: add(one.counters, other.counters) };
}

function add<T extends Record<string, number>>(one: T, other: T): T {
  const sum = { ...one };
  for (const name of Object.keys(sum) as (keyof T)[]) {
    Object.assign(sum, { [name]: (one[name] ?? 0) + (other[name] ?? 0) });
  }
  return sum;
}
