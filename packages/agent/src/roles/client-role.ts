import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deviceTopics } from '@mqttlab/shared/catalogue/external-device/protocol';
import { keyLog } from '@mqttlab/shared/catalogue/factors/key-log';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ResultFile } from '@mqttlab/shared/domain/runs/capture';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { type Contribution, mergeParts } from '../instruments/instrument.ts';
import { ProgressSeries, RoleInstruments } from '../instruments/role-instruments.ts';
import type { LoadWorkerProcess, WorkerListeners } from '../load/load-worker-process.ts';
import { loadFailure } from '../processes/failures.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { bindTo, makeEmptyResult, type RoleDriver, type RunContext, readLoadResult } from './role.ts';
import { RunLink } from './run-link.ts';

/** A publisher or subscriber in one run: its load worker and the instruments. */
export class ClientRole implements RoleDriver {
  readonly #context: RunContext;
  readonly #command: PrepareClient;
  readonly #instruments: RoleInstruments;
  readonly #link: RunLink;
  readonly #keys: KeyLogFile;
  #worker: LoadWorkerProcess | null = null;
  #mirror: Mirror | null = null;
  /** Name of another client engine; null if the worker carries the load itself. */
  #processes: readonly number[] | null = null;

  constructor(context: RunContext, command: PrepareClient) {
    this.#context = context;
    this.#command = command;
    this.#instruments = new RoleInstruments(context, command);
    this.#link = new RunLink({ context, spec: command.spec, side: 'client' });
    this.#keys = new KeyLogFile(context.filesFolder, command.spec);
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { device, folder, log } = this.#context;
    const { spec, role } = this.#command;
    const { worker, started } = device.workers.take(this.#makeListeners(), aesEnvironment(spec));
    this.#worker = worker;
    const [capabilities] = await Promise.all([device.capabilities(), started]);
    const link = await this.#instruments.prepare(capabilities);
    if (wantsMirror(this.#command)) this.#mirror = new Mirror(this.#context, this.#command);
    const { broker: endpoint, shaping: order } = this.#command;
    await this.#link.prepare({ order, endpoint, interfaceName: link.name });
    const bound = { ...bindTo(link), ...(await this.#keys.prepare()) };
    await Promise.all([
      worker.prepare({ ...this.#command, folder, recordsFolder: device.records.folder, ...bound }),
      this.#mirror?.prepare(),
    ]);
    const { pid } = worker;
    this.#instruments.facts['process.pid'] = pid;
    log.milestone('agent', `${role} is ready (${spec.security})`);
    return { pid };
  }

  async connect(): Promise<Connected> {
    await this.#mirror?.connect();
    const { processes, ...connected } = await this.#present().connect();
    this.#processes = processes;
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    const worker = this.#present();
    const { pid } = worker;
    this.#link.start();
    if (pid !== null) {
      const helpers = [this.#mirror?.pid ?? null, this.#processes === null ? null : pid];
      this.#instruments.start(at, {
        pids: this.#processes ?? [pid],
        helpers: helpers.filter((helper) => helper !== null),
      });
    }
    await Promise.all([worker.startLoad(at), this.#mirror?.start(at)]);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    const drained = await this.#present().drain(expected);
    this.#instruments.loadEnded();
    await this.#mirror?.drain(drained.messages);
    await this.#link.drain();
    return drained;
  }

  async finish(): Promise<RoleResult> {
    await this.#instruments.stop();
    const load = await readLoadResult(() => this.#present().finish());
    const mirrored = await this.#mirror?.finish();
    await this.#worker?.stop();
    const linked = await this.#link.finish(load.localPorts);
    const measured = await this.#instruments.conclude(makeEmptyResult(this.#command.role), load);
    const own = { share: resultShareOf(this.#command), log: this.#context.log.lines() };
    return mergeParts(measured, own, linked, await this.#keys.finish(), mirrored ?? {});
  }

  #present(): LoadWorkerProcess {
    if (this.#worker !== null) return this.#worker;
    throw new Error('there is no load worker');
  }

  #makeListeners(): WorkerListeners {
    const { events, log } = this.#context;
    return {
      onPhase: events.onPhase,
      onFailure: events.onFailure,
      onLog: (level, text) => log.add(level, 'load', text),
      onProgress: this.#instruments.onProgress,
    };
  }
}

function resultShareOf({ share }: PrepareClient): RoleResult['share'] {
  return share === null ? { index: 0, of: 1 } : { index: share.index, of: share.of };
}

const finishPatienceMs = 3_000;

/** Returns true if a role in this run must also measure the round trip. */
function wantsMirror({ mirror, role, spec }: PrepareClient): boolean {
  const isOurs = spec.client === 'native' || spec.client === 'external device';
  return mirror && role === 'publisher' && carriesMessages(spec.workload) && isOurs;
}

/**
 * Another subscription on the publisher's device, in a separate process so that CPU and bytes of the
 * publisher are not affected. Both processes read the clock of one kernel, so round trips need no second
 * clock. An error in this process degrades the run but never ends it.
 */
class Mirror {
  readonly #context: RunContext;
  readonly #command: PrepareClient;
  readonly #progress = new ProgressSeries();
  #worker: LoadWorkerProcess | null = null;
  #drained = false;
  #trouble: string | null = null;

  constructor(context: RunContext, command: PrepareClient) {
    this.#context = context;
    const { spec } = command;
    this.#command = {
      ...command,
      role: 'subscriber',
      // In a shared subscription, it would receive messages intended for the measured subscribers.
      spec: {
        ...spec,
        // A device without an agent returns the messages it receives.
        topic: command.external ? deviceTopics(command.external.name).echo : spec.topic,
        subscribers: 1,
        sharedSubscription: false,
        session: spec.session && 'full',
      },
    };
  }

  /** null while there is no process. */
  get pid(): number | null {
    return this.#worker?.pid ?? null;
  }

  async prepare(): Promise<void> {
    const { device, log } = this.#context;
    const listeners: WorkerListeners = {
      onPhase: () => {},
      onProgress: (progress) => this.#progress.add(progress),
      onLog: (level, text) => log.add(level, 'mirror', text),
      onFailure: (failure) => {
        // It is not a failure if a connection is lost after everything was received.
        if (!this.#drained) this.#trouble ??= failure.message;
      },
    };
    const { worker, started } = device.workers.take(listeners, aesEnvironment(this.#command.spec));
    this.#worker = worker;
    await this.#attempt(async () => {
      await started;
      await worker.prepare(this.#command);
    });
  }

  /** Subscribes; call this before the first message is sent. */
  connect(): Promise<unknown> {
    return this.#attempt(() => this.#worker?.connect());
  }

  start(at: StartLoad): Promise<unknown> {
    return this.#attempt(() => this.#worker?.startLoad(at));
  }

  /** Waits for the returned messages. `sent` is the number of measured messages to expect. */
  async drain(sent: number): Promise<void> {
    await this.#attempt(() => this.#worker?.drain(sent));
    this.#drained = true;
  }

  /**
   * Returns the round trips as a histogram (from the intended send time to the return on this device) and as
   * series. Its process has exited afterwards. Never rejects.
   */
  async finish(): Promise<Contribution> {
    const worker = this.#worker;
    const tooLong = () => loadFailure('timeout', 'The mirror does not answer.');
    const result = await this.#attempt(() =>
      worker === null ? undefined : within(finishPatienceMs, tooLong, worker.finish()),
    );
    await worker?.stop();
    return {
      histograms: result?.latency ? { roundTrip: result.latency } : {},
      degraded: this.#trouble === null ? [] : [{ collector: 'round trip', reason: this.#trouble }],
      series: this.#progress
        .results()
        .filter(({ metric }) => metric.startsWith('latency.'))
        .map((series) => ({ ...series, metric: series.metric.replace('latency', 'roundTrip') })),
    };
  }

  /** The mirror is not used after its first failure. */
  async #attempt<T>(step: () => Promise<T> | undefined): Promise<T | null> {
    if (this.#trouble !== null) return null;
    try {
      return (await step()) ?? null;
    } catch (error) {
      this.#trouble ??= reasonOf(error);
      return null;
    }
  }
}

const name: ResultFile['name'] = 'keys.log';

/** Returns the file for the keys of one client's connections, if the trial requests them. */
class KeyLogFile {
  readonly #folder: string;
  readonly #isWanted: boolean;

  constructor(folder: string, spec: TrialSpec) {
    this.#folder = folder;
    this.#isWanted = keyLog.of(spec) === 'kept';
  }

  async prepare(): Promise<{ keyLogPath?: string }> {
    if (!this.#isWanted) return {};
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    return { keyLogPath: join(this.#folder, name) };
  }

  /** Never rejects. */
  async finish(): Promise<Pick<RoleResult, 'files'>> {
    if (!this.#isWanted) return {};
    const bytes = await stat(join(this.#folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
    return bytes === 0 ? {} : { files: [{ name, bytes }] };
  }
}
