import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBrokerRole } from '@mqttlab/shared/domain/devices/device';
import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { AgentCommand, AgentFrame, ServerFrame, StartLoad } from '@mqttlab/shared/messages/agent';
import { resultKeyOf } from '@mqttlab/shared/messages/set-aside';
import type { Outbox, StoredResult } from '../link/outbox.ts';
import { toFailure } from '../processes/failures.ts';
import type { Cleanup } from '../processes/files.ts';
import { BridgeRole } from './bridge-role.ts';
import { BrokerRole } from './broker-role.ts';
import { ClientRole } from './client-role.ts';
import { ExternalPublisher, ExternalSubscriber } from './external-device.ts';
import { type Device, makeEmptyResult, type RoleDriver, type RunContext, RunLog } from './role.ts';

type CommandFrame = Extract<ServerFrame, { type: 'command' }>;
type Reply = Extract<AgentFrame, { type: 'reply' }>;

interface TrialRunnerOptions {
  device: Device;
  /** Parent folder of the runs' folders. */
  runsFolder: string;
  outbox: Outbox;
  cleanup: Cleanup;
  send: (frame: AgentFrame) => void;
  /** How long a run continues without the server, in ms. */
  serverLossMs: number;
}

/** Executes the server's commands, one run at a time, and always cleans up after it. */
export class TrialRunner {
  readonly #options: TrialRunnerOptions;
  #active: ActiveRun | null = null;
  #lossTimer: NodeJS.Timeout | null = null;
  #concluding: Promise<void> | null = null;
  /** Results of ended runs that were not yet passed to the connection. */
  readonly #concluded: { key: string; stored: StoredResult }[] = [];

  constructor(options: TrialRunnerOptions) {
    this.#options = options;
  }

  /** True while a run is active. */
  get isBusy(): boolean {
    return this.#active !== null;
  }

  /** Sends exactly one reply to every command; a run's result follows the reply. Never rejects. */
  async handle(frame: CommandFrame): Promise<void> {
    const { id, runId } = frame;
    let outcome: Reply['outcome'];
    try {
      outcome = { ok: true, data: await this.#execute(frame) };
    } catch (error) {
      const remedy = "Check the agent's log on the device and report this problem.";
      outcome = { ok: false, error: toFailure(error, { code: 'agent-fault', remedy }) };
    }
    this.#options.send({ type: 'reply', id, runId, outcome });
    this.#sendConcluded();
  }

  /** Called when the server is unreachable: a run that continues too long without it is ended. */
  connectionLost(): void {
    if (this.#lossTimer !== null) return;
    const { serverLossMs } = this.#options;
    this.#lossTimer = setTimeout(() => {
      void this.#endUnasked({
        code: 'server-lost',
        message: `The connection to the server was lost for ${serverLossMs / 1_000} s during the run.`,
        remedy: 'Check the network between the device and the server, then retry the run.',
      });
    }, serverLossMs);
  }

  connectionRegained(): void {
    if (this.#lossTimer !== null) clearTimeout(this.#lossTimer);
    this.#lossTimer = null;
  }

  /** Ends the current run; its result stays in the outbox. */
  async stop(): Promise<void> {
    this.connectionRegained();
    await this.#endUnasked({
      code: 'agent-stopped',
      message: 'The agent was stopped during the run.',
      remedy: 'Start the agent again and retry the run.',
    });
    await this.#options.device.workers.stop();
  }

  async #execute({ runId, command }: CommandFrame): Promise<unknown> {
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
    // A failed run does not block the next run.
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

  /** Ends that run; if the run is not active or has already ended, only replies. */
  async #end(runId: number, failure: RoleFailure | null): Promise<unknown> {
    const active = this.#active;
    if (active?.runId === runId) {
      await this.#conclude(active, failure);
      return { key: active.key };
    }
    const stored = this.#options.outbox.pending().find((key) => key.startsWith(`${runId}-`));
    if (stored !== undefined || failure !== null) return { key: stored ?? null };
    throw new Failure(wrongOrder('teardown', `Run ${runId} is not on this device`));
  }

  async #endUnasked(failure: RoleFailure): Promise<void> {
    if (this.#active === null) return;
    await this.#conclude(this.#active, failure).catch(() => {});
    this.#sendConcluded();
  }

  /**
   * Concludes a run. Throws Failure 'result-not-stored'; even then, the device is cleaned up and the result
   * is in memory.
   */
  #conclude(active: ActiveRun, failure: RoleFailure | null): Promise<void> {
    this.#concluding ??= this.#keepResult(active, failure).finally(() => {
      this.#active = null;
      this.#concluding = null;
    });
    return this.#concluding;
  }

  /**
   * Stores the result before any cleanup, so that a failure during the cleanup cannot lose the measurement.
   */
  async #keepResult(active: ActiveRun, failure: RoleFailure | null): Promise<void> {
    const { outbox, cleanup } = this.#options;
    const stored = { runId: active.runId, result: await active.finish(failure) };
    this.#concluded.push({ key: active.key, stored });
    try {
      await outbox.put(active.key, stored);
    } finally {
      await cleanup.remove(this.#folderOf(active.key));
      if (!isBrokerRole(active.role)) this.#refillWorkers();
    }
  }

  #refillWorkers(): void {
    try {
      this.#options.device.workers.refill();
    } catch (error) {
      // The next run starts its own worker, and fails with the reason if that also fails.
      const text = `No load process could be started ahead of the next run: ${reasonOf(error)}`;
      const line = { at: this.#options.device.clock.unixMs(), level: 'warn', source: 'agent', text } as const;
      this.#options.send({ type: 'log', runId: null, line });
    }
  }

  #folderOf(key: string): string {
    return join(this.#options.runsFolder, key);
  }

  #sendConcluded(): void {
    for (const { key, stored } of this.#concluded.splice(0)) {
      this.#options.send({ type: 'result', key, runId: stored.runId, result: stored.result });
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
        onFailure: (error) => send({ type: 'trouble', runId, role, error }),
      },
    };
  }
}

function aborted(reason: string): RoleFailure {
  return { code: 'aborted', message: `The run was aborted: ${reason}`, remedy: 'Retry the run if needed.' };
}

function busy(active: ActiveRun): RoleFailure {
  return {
    code: 'busy',
    message: `This device is executing run ${active.runId} as ${active.role}.`,
    remedy: `Tear down or abort run ${active.runId} first.`,
  };
}

type StepAction = Extract<AgentCommand, { kind: 'connect' | 'start' | 'drain' }>;

/** One role in one run: enforces the order of its commands and records its first failure. */
class ActiveRun {
  readonly runId: number;
  readonly role: RoleResult['role'];
  readonly #context: RunContext;
  readonly #run: RoleDriver;
  /** Testbed clock minus the local clock, in µs. */
  readonly #offsetUs: number;
  #step: Step = 'preparing';
  #busy: Promise<unknown> | null = null;
  #failure: RoleFailure | null = null;
  #finished: Promise<RoleResult> | null = null;

  constructor(runId: number, command: PrepareCommand, context: RunContext) {
    this.runId = runId;
    this.role = roleOf(command);
    this.#context = context;
    this.#offsetUs = command.clock.offsetUs;
    const onFailure = (failure: RoleFailure) => this.#handleFailure(failure);
    this.#run = makeRoleRun({ ...context, events: { ...context.events, onFailure } }, command);
  }

  /** Key under which the result is stored. */
  get key(): string {
    return resultKeyOf(this);
  }

  /** The first failure; null if there is none. */
  get failure(): RoleFailure | null {
    return this.#failure;
  }

  /** Creates the run's folder and everything in it; throws Failure. */
  async prepare(): Promise<unknown> {
    return this.#execute('prepared', async () => {
      await mkdir(this.#context.folder, { recursive: true, mode: 0o700 });
      return this.#run.prepare();
    });
  }

  /** Executes a command. Throws Failure, with the code 'wrong-order' if this command is not allowed now. */
  async advance(command: StepAction): Promise<unknown> {
    const next = nextStep(this.role, this.#step, command.kind);
    if (this.#busy !== null || next === null || this.#finished !== null || this.#failure !== null) {
      throw new Failure(wrongOrder(command.kind, this.#situation()));
    }
    return this.#execute(next, () => this.#act(command));
  }

  /** Restores the device, at any time; only the first failure is recorded. Never rejects, idempotent. */
  finish(failure: RoleFailure | null): Promise<RoleResult> {
    this.#failure ??= failure;
    this.#finished ??= this.#end();
    return this.#finished;
  }

  /**
   * Records a failure. Devices are torn down one after the other, so a connection lost after the drain is not
   * a failure.
   */
  #handleFailure(failure: RoleFailure): void {
    const isOver = this.#finished !== null || (this.#step === 'drained' && !isBrokerRole(this.role));
    if (isOver) {
      this.#context.log.add('info', 'agent', `After the end of the run: ${failure.message}`);
      return;
    }
    this.#context.log.add('error', 'agent', failure.message);
    this.#failure ??= failure;
    this.#context.events.onFailure(failure);
  }

  async #end(): Promise<RoleResult> {
    const result = await this.#run.finish().catch((error: unknown) => this.#resultOfFault(error));
    // A pending command ends when its processes have exited.
    await this.#busy?.catch(() => {});
    return { ...result, failure: this.#failure };
  }

  /**
   * Returns an empty result, so that the server is notified of a fault in this agent instead of waiting for
   * the result.
   */
  #resultOfFault(error: unknown): RoleResult {
    this.#failure ??= toFailure(error, this.#fallback);
    this.#context.log.add('error', 'agent', `The result could not be collected: ${reasonOf(error)}`);
    return { ...makeEmptyResult(this.role), log: this.#context.log.lines() };
  }

  get #fallback(): Omit<RoleFailure, 'message'> {
    return { code: `${this.role}-failed`, remedy: 'Check the log of this run, then retry it.' };
  }

  #act(command: StepAction): Promise<unknown> {
    if (command.kind === 'start') return this.#start(command);
    if (command.kind === 'drain') return this.#run.drain(command.expected);
    if (this.#run.connect !== undefined) return this.#run.connect();
    throw new Failure(wrongOrder(command.kind, `a ${this.role} has nothing to connect`));
  }

  /** Throws Failure 'start-late' if this role was not ready when the measure phase began. */
  async #start(at: StartLoad): Promise<unknown> {
    const data = await this.#run.start(at);
    const lateUs = this.#context.device.clock.nowUs() + this.#offsetUs - at.measureAtUs;
    if (lateUs > 0) throw new Failure(startLate(this.role, lateUs));
    return data;
  }

  async #execute(next: Step, work: () => Promise<unknown>): Promise<unknown> {
    this.#busy = work();
    try {
      const data = await this.#busy;
      this.#step = next;
      return data;
    } catch (error) {
      const failure = toFailure(error, this.#fallback);
      this.#failure ??= failure;
      throw new Failure(failure);
    } finally {
      this.#busy = null;
    }
  }

  #situation(): string {
    if (this.#finished !== null) return `run ${this.runId} is being ended`;
    if (this.#failure !== null) return `Run ${this.runId} has failed (${this.#failure.code})`;
    const working = this.#busy === null ? '' : ' and another command is in progress';
    return `Run ${this.runId} as ${this.role} is ${this.#step}${working}`;
  }
}

function startLate(role: RoleResult['role'], lateUs: number): RoleFailure {
  return {
    code: 'start-late',
    message: `The ${role} became ready ${Math.ceil(lateUs / 1000)} ms after the measure phase had begun.`,
    remedy: 'Check the load on the device and the network to it, or choose a longer warm-up.',
  };
}

type PrepareCommand = Extract<AgentCommand, { kind: 'prepare-broker' | 'prepare-client' | 'prepare-bridge' }>;

function roleOf(command: PrepareCommand): RoleResult['role'] {
  return command.kind === 'prepare-bridge' ? 'bridge' : command.role;
}

function makeRoleRun(context: RunContext, command: PrepareCommand): RoleDriver {
  if (command.kind === 'prepare-broker') return new BrokerRole(context, command);
  if (command.kind === 'prepare-bridge') return new BridgeRole(context, command);
  const { external, role } = command;
  if (external?.role !== role) return new ClientRole(context, command);
  const forDevice = { ...command, external };
  return role === 'publisher'
    ? new ExternalPublisher(context, forDevice)
    : new ExternalSubscriber(context, forDevice);
}

function isPrepare(command: AgentCommand): command is PrepareCommand {
  const kinds: readonly string[] = ['prepare-broker', 'prepare-client', 'prepare-bridge'];
  return kinds.includes(command.kind);
}

/** Progress of one role in one run. */
type Step = 'preparing' | 'prepared' | 'connected' | 'started' | 'drained';
type StepCommand = 'connect' | 'start' | 'drain';

interface Transition {
  from: Step;
  to: Step;
}

const afterConnecting: Record<'start' | 'drain', Transition> = {
  start: { from: 'connected', to: 'started' },
  drain: { from: 'started', to: 'drained' },
};

const ofBroker = { ...afterConnecting, start: { from: 'prepared', to: 'started' } } as const;
const ofClient = { connect: { from: 'prepared', to: 'connected' }, ...afterConnecting } as const;

/** Allowed order of commands; a broker has nothing to connect. */
const transitions: Record<RoleResult['role'], Partial<Record<StepCommand, Transition>>> = {
  broker: ofBroker,
  'cloud-broker': ofBroker,
  publisher: ofClient,
  bridge: ofClient,
  subscriber: ofClient,
};

/** Returns the step to which a command leads, or null if the command is not allowed now. */
export function nextStep(role: RoleResult['role'], step: Step, command: StepCommand): Step | null {
  const transition = transitions[role][command];
  return transition?.from === step ? transition.to : null;
}

function wrongOrder(command: string, situation: string): RoleFailure {
  return {
    code: 'wrong-order',
    message: `"${command}" arrived out of order: ${situation}.`,
    remedy: 'This is a server error; abort the run and retry it.',
  };
}
