import { deviceTopics } from '@mqttlab/shared/catalogue/external-device/protocol';
import { carriesMessages } from '@mqttlab/shared/catalogue/workloads';
import type { HistogramJson, RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../base/load-failures.ts';
import type { LoadWorkerProcess, WorkerListeners } from '../load-process/load-worker-process.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { ProgressSeries } from './load-result.ts';
import type { RunContext } from './role-run.ts';

export interface MirrorFindings {
  /** From the intended send time back to this very device; null when nothing came back. */
  roundTrip: HistogramJson | null;
  degraded: RoleResult['degraded'];
  /** Round trips of each second, as the subscriber has its latencies. */
  series: Series[];
}

const finishPatienceMs = 3_000;

/** Whether a role of this Run is to take the round trip as well. */
export function wantsMirror({ mirror, role, spec }: PrepareClient): boolean {
  const isOurs = spec.client === 'native' || spec.client === 'external device';
  return mirror && role === 'publisher' && carriesMessages(spec.workload) && isOurs;
}

/**
 * One more subscription beside the publisher, in a process of its own so that the CPU and the bytes of the publisher
 * stay its own: both read the clock of one kernel, so that the way there and back needs no second clock. Trouble with
 * it degrades the Run, and never ends it.
 */
export class Mirror {
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
      // A share of its own would take messages away from the subscribers that are measured.
      spec: {
        ...spec,
        // A device without an agent sends back what it receives.
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
      onTrouble: (failure) => {
        // What it loses once everything has come back is no trouble any more.
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

  /** Subscribes; call it before the first message is sent. */
  connect(): Promise<unknown> {
    return this.#attempt(() => this.#worker?.connect());
  }

  start(at: StartLoad): Promise<unknown> {
    return this.#attempt(() => this.#worker?.startLoad(at));
  }

  /** `sent`: measured messages that are to come back. */
  async drain(sent: number): Promise<void> {
    await this.#attempt(() => this.#worker?.drain(sent));
    this.#drained = true;
  }

  /** Its process is gone afterwards. Never rejects. */
  async finish(): Promise<MirrorFindings> {
    const worker = this.#worker;
    const tooLong = () => loadFailure('timeout', 'The mirror does not answer.');
    const result = await this.#attempt(() =>
      worker === null ? undefined : within(finishPatienceMs, tooLong, worker.finish()),
    );
    await worker?.stop();
    return {
      roundTrip: result?.latency ?? null,
      degraded: this.#trouble === null ? [] : [{ collector: 'round trip', reason: this.#trouble }],
      series: this.#progress
        .results()
        .filter(({ metric }) => metric.startsWith('latency.'))
        .map((series) => ({ ...series, metric: series.metric.replace('latency', 'roundTrip') })),
    };
  }

  /** Nothing more is asked of it after its first trouble. */
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
