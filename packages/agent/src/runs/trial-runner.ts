import { join } from 'node:path';
import { isBrokerRole } from '@mqttlab/shared/domain/devices/device';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { AgentFrame, ServerFrame } from '@mqttlab/shared/messages/agent';
import { resultKeyOf } from '@mqttlab/shared/messages/set-aside';
import type { Cleanup } from '../base/cleanup.ts';
import { toFailure } from '../base/load-failures.ts';
import type { KeptResult, Outbox } from '../server/outbox.ts';
import { ActiveRun, isPrepare, type PrepareCommand, roleOf, wrongOrder } from './active-run.ts';
import type { Device, RunContext } from './role-run.ts';
import { RunLog } from './role-run.ts';

export type CommandFrame = Extract<ServerFrame, { type: 'command' }>;
type Reply = Extract<AgentFrame, { type: 'reply' }>;

export interface TrialRunnerOptions {
  device: Device;
  /** Folder for the folders of Runs. */
  runsFolder: string;
  outbox: Outbox;
  cleanup: Cleanup;
  send: (frame: AgentFrame) => void;
  /** How long a Run goes on without the server, ms. */
  serverLossMs: number;
}

/** Carries out what the server commands, one Run at a time, and always cleans up after it. */
export class TrialRunner {
  readonly #options: TrialRunnerOptions;
  #active: ActiveRun | null = null;
  #lossTimer: NodeJS.Timeout | null = null;
  #concluding: Promise<void> | null = null;
  /** Ended, but not yet handed to the connection. */
  readonly #concluded: { key: string; kept: KeptResult }[] = [];

  constructor(options: TrialRunnerOptions) {
    this.#options = options;
  }

  /** Whether a Run goes on here. */
  get isBusy(): boolean {
    return this.#active !== null;
  }

  /** Answers every command with exactly one reply; a Run's result follows the reply. Never rejects. */
  async handle(frame: CommandFrame): Promise<void> {
    const { id, runId } = frame;
    let outcome: Reply['outcome'];
    try {
      outcome = { ok: true, data: await this.#carryOut(frame) };
    } catch (error) {
      const remedy = "Look at the agent's log on the device and report this.";
      outcome = { ok: false, error: toFailure(error, { code: 'agent-fault', remedy }) };
    }
    this.#options.send({ type: 'reply', id, runId, outcome });
    this.#sendConcluded();
  }

  /** The server cannot be reached: a Run that goes on for too long without it is ended. */
  connectionLost(): void {
    if (this.#lossTimer !== null) return;
    const { serverLossMs } = this.#options;
    this.#lossTimer = setTimeout(() => {
      void this.#endUnasked({
        code: 'server-lost',
        message: `The connection to the server was lost for ${serverLossMs / 1_000} s during the run.`,
        remedy: 'Check the network between the device and the server, then retry the Run.',
      });
    }, serverLossMs);
  }

  connectionRegained(): void {
    if (this.#lossTimer !== null) clearTimeout(this.#lossTimer);
    this.#lossTimer = null;
  }

  /** Ends the Run that is under way; its result stays in the outbox. */
  async stop(): Promise<void> {
    this.connectionRegained();
    await this.#endUnasked({
      code: 'agent-stopped',
      message: 'The agent was stopped during the run.',
      remedy: 'Start the agent again and retry the Run.',
    });
    await this.#options.device.workers.stop();
  }

  async #carryOut({ runId, command }: CommandFrame): Promise<unknown> {
    if (isPrepare(command)) {
      return this.#prepare(runId, command);
    }
    if (command.kind === 'abort') return this.#end(runId, aborted(command.reason));
    if (command.kind === 'teardown') return this.#end(runId, null);
    const active = this.#active;
    if (active?.runId === runId) return active.advance(command);
    throw new Failure(wrongOrder(command.kind, `Run ${runId} is not prepared on this device`));
  }

  async #prepare(runId: number, command: PrepareCommand): Promise<unknown> {
    const key = resultKeyOf({ runId, role: roleOf(command) });
    // A Run that failed holds nothing any more that is worth waiting for.
    if (this.#active !== null && this.#active.failure !== null) await this.#conclude(this.#active, null);
    if (this.#active !== null) throw new Failure(busy(this.#active));
    if (this.#options.outbox.has(key)) {
      throw new Failure(wrongOrder(command.kind, `Run ${runId} already has a result on this device`));
    }
    const context = this.#makeContext(runId, command, key);
    for (const folder of [context.folder, context.filesFolder]) this.#options.cleanup.keep(folder);
    this.#active = new ActiveRun(runId, command, context);
    return this.#active.prepare();
  }

  /** Ends that Run; asked again, or for a Run that never was here, there is nothing to do but to say so. */
  async #end(runId: number, failure: RoleFailure | null): Promise<unknown> {
    const active = this.#active;
    if (active?.runId === runId) {
      await this.#conclude(active, failure);
      return { key: active.key };
    }
    const kept = this.#options.outbox.pending().find((key) => key.startsWith(`${runId}-`));
    if (kept !== undefined || failure !== null) return { key: kept ?? null };
    throw new Failure(wrongOrder('teardown', `Run ${runId} is not on this device`));
  }

  async #endUnasked(failure: RoleFailure): Promise<void> {
    if (this.#active === null) return;
    await this.#conclude(this.#active, failure).catch(() => {});
    this.#sendConcluded();
  }

  /** Throws Failure 'result-not-kept'; the device is cleaned up and the result in memory even so. */
  #conclude(active: ActiveRun, failure: RoleFailure | null): Promise<void> {
    this.#concluding ??= this.#keepResult(active, failure).finally(() => {
      this.#active = null;
      this.#concluding = null;
    });
    return this.#concluding;
  }

  /** Stores the result before anything is cleaned up: nothing that fails afterwards can cost the measurement. */
  async #keepResult(active: ActiveRun, failure: RoleFailure | null): Promise<void> {
    const { outbox, cleanup } = this.#options;
    const kept = { runId: active.runId, result: await active.finish(failure) };
    this.#concluded.push({ key: active.key, kept });
    try {
      await outbox.put(active.key, kept);
    } finally {
      await cleanup.remove(this.#folderOf(active.key));
      if (!isBrokerRole(active.role)) this.#refillWorkers();
    }
  }

  #refillWorkers(): void {
    try {
      this.#options.device.workers.refill();
    } catch (error) {
      // The next run starts its worker itself, and fails with the reason if it cannot either.
      const text = `No load process could be started ahead of the next run: ${reasonOf(error)}`;
      const line = { at: this.#options.device.clock.unixMs(), level: 'warn', source: 'agent', text } as const;
      this.#options.send({ type: 'log', runId: null, line });
    }
  }

  #folderOf(key: string): string {
    return join(this.#options.runsFolder, key);
  }

  #sendConcluded(): void {
    for (const { key, kept } of this.#concluded.splice(0)) {
      this.#options.send({ type: 'result', key, runId: kept.runId, result: kept.result });
    }
  }

  #makeContext(runId: number, command: PrepareCommand, key: string): RunContext {
    const { send, device } = this.#options;
    const role = roleOf(command);
    return {
      device,
      folder: this.#folderOf(key),
      filesFolder: this.#options.outbox.filesFolder(key),
      log: new RunLog({ clock: device.clock, onShown: (line) => send({ type: 'log', runId, line }) }),
      events: {
        onPhase: (phase, durationUs) => send({ type: 'phase', runId, role, phase, durationUs }),
        onProgress: (progress) => send({ type: 'progress', runId, progress }),
        onTrouble: (error) => send({ type: 'trouble', runId, role, error }),
      },
    };
  }
}

function aborted(reason: string): RoleFailure {
  return {
    code: 'aborted',
    message: `The Run was aborted: ${reason}`,
    remedy: 'Retry the Run when it is needed.',
  };
}

function busy(active: ActiveRun): RoleFailure {
  return {
    code: 'busy',
    message: `This device is carrying out Run ${active.runId} as ${active.role}.`,
    remedy: `Tear down or abort Run ${active.runId} first.`,
  };
}
