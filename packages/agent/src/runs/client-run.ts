import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Connected, Drained, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import type { LoadWorkerProcess, WorkerListeners } from '../load-process/load-worker-process.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { KeyLogFile } from './key-log-file.ts';
import { bindTo, readLoadResult } from './load-result.ts';
import { Mirror, wantsMirror } from './mirror.ts';
import type { RoleRun, RunContext } from './role-run.ts';
import { RoleWatch } from './role-watch.ts';
import { RunLink } from './run-link.ts';

/** A publisher's or subscriber's side of one Run: its load worker, and the sampler beside it. */
export class ClientRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: PrepareClient;
  readonly #watch: RoleWatch;
  readonly #link: RunLink;
  readonly #keys: KeyLogFile;
  #worker: LoadWorkerProcess | null = null;
  #mirror: Mirror | null = null;
  /** Of another client engine; null: the worker carries the load itself. */
  #processes: readonly number[] | null = null;

  constructor(context: RunContext, command: PrepareClient) {
    this.#context = context;
    this.#command = command;
    this.#watch = new RoleWatch(context, command);
    this.#link = new RunLink({ context, spec: command.spec, side: 'client' });
    this.#keys = new KeyLogFile(context.filesFolder, command.spec);
  }

  async prepare(): Promise<{ pid: number | null }> {
    const { device, folder, log } = this.#context;
    const { spec, role } = this.#command;
    const { worker, started } = device.workers.take(this.#makeListeners(), aesEnvironment(spec));
    this.#worker = worker;
    const [capabilities] = await Promise.all([device.capabilities(), started]);
    const link = await this.#watch.prepare(capabilities);
    if (wantsMirror(this.#command)) this.#mirror = new Mirror(this.#context, this.#command);
    const { broker: endpoint, shaping: order } = this.#command;
    await this.#link.prepare({ order, endpoint, interfaceName: link.name });
    const bound = { ...bindTo(link), ...(await this.#keys.prepare()) };
    await Promise.all([
      worker.prepare({ ...this.#command, folder, recordsFolder: device.records.folder, ...bound }),
      this.#mirror?.prepare(),
    ]);
    const { pid } = worker;
    this.#watch.facts['process.pid'] = pid;
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
      this.#watch.start(
        at,
        this.#processes ?? [pid],
        helpers.filter((helper) => helper !== null),
      );
    }
    await Promise.all([worker.startLoad(at), this.#mirror?.start(at)]);
    return { pid };
  }

  async drain(expected: number | null): Promise<Drained> {
    const drained = await this.#present().drain(expected);
    await this.#mirror?.drain(drained.messages);
    await this.#link.drain();
    return drained;
  }

  async finish(): Promise<RoleResult> {
    await this.#watch.stop();
    const load = await readLoadResult(() => this.#present().finish());
    const mirrored = await this.#mirror?.finish();
    await this.#worker?.stop();
    const { degraded: linkDoubts, ...linked } = await this.#link.finish(load.localPorts);
    const { series, degraded, ...watched } = await this.#watch.conclude(load);
    return {
      role: this.#command.role,
      upstream: null,
      bridge: null,
      share: resultShareOf(this.#command),
      ...watched,
      histograms: { ...load.histograms, ...(mirrored?.roundTrip ? { roundTrip: mirrored.roundTrip } : {}) },
      ...linked,
      ...(await this.#keys.finish()),
      series: [...series, ...(mirrored?.series ?? [])],
      degraded: [...degraded, ...linkDoubts, ...(mirrored?.degraded ?? [])],
    };
  }

  #present(): LoadWorkerProcess {
    if (this.#worker !== null) return this.#worker;
    throw new Error('there is no load worker');
  }

  #makeListeners(): WorkerListeners {
    const { events, log } = this.#context;
    return {
      onPhase: events.onPhase,
      onTrouble: events.onTrouble,
      onLog: (level, text) => log.add(level, 'load', text),
      onProgress: this.#watch.onProgress,
    };
  }
}

function resultShareOf({ share }: PrepareClient): RoleResult['share'] {
  return share === null ? { index: 0, of: 1 } : { index: share.index, of: share.of };
}
