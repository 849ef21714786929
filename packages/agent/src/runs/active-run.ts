import { mkdir } from 'node:fs/promises';
import { isBrokerRole } from '@mqttlab/shared/domain/devices/device';
import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { AgentCommand, StartLoad } from '@mqttlab/shared/messages/agent';
import { resultKeyOf } from '@mqttlab/shared/messages/set-aside';
import { toFailure } from '../base/load-failures.ts';
import { BridgeRun } from './bridge-run.ts';
import { BrokerRun } from './broker-run.ts';
import { ClientRun } from './client-run.ts';
import { EchoedRun } from './echoed-run.ts';
import { ExternalRun } from './external-run.ts';
import { makeEmptyResult } from './load-result.ts';
import type { RoleRun, RunContext } from './role-run.ts';

type StepAction = Extract<AgentCommand, { kind: 'connect' | 'start' | 'drain' }>;

/** One role of one Run: keeps the order of its commands, and its first failure. */
export class ActiveRun {
  readonly runId: number;
  readonly role: RoleResult['role'];
  readonly #context: RunContext;
  readonly #run: RoleRun;
  /** Testbed µs minus local µs. */
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
    const onTrouble = (failure: RoleFailure) => this.#takeTrouble(failure);
    this.#run = makeRoleRun({ ...context, events: { ...context.events, onTrouble } }, command);
  }

  /** Under which its result is kept. */
  get key(): string {
    return resultKeyOf(this);
  }

  /** What went wrong first; null while all is well. */
  get failure(): RoleFailure | null {
    return this.#failure;
  }

  /** Makes the Run's folder and everything in it; throws Failure. */
  async prepare(): Promise<unknown> {
    return this.#carryOut('prepared', async () => {
      await mkdir(this.#context.folder, { recursive: true, mode: 0o700 });
      return this.#run.prepare();
    });
  }

  /** Throws Failure; 'wrong-order' when it is not this command's turn. */
  async advance(command: StepAction): Promise<unknown> {
    const next = nextStep(this.role, this.#step, command.kind);
    if (this.#busy !== null || next === null || this.#finished !== null || this.#failure !== null) {
      throw new Failure(wrongOrder(command.kind, this.#situation()));
    }
    return this.#carryOut(next, () => this.#act(command));
  }

  /** Leaves the device as it was found, at any time; the first failure counts. Never rejects, idempotent. */
  finish(failure: RoleFailure | null): Promise<RoleResult> {
    this.#failure ??= failure;
    this.#finished ??= this.#end();
    return this.#finished;
  }

  /** Devices are torn down one after the other: what a client loses after its drain is no trouble any more. */
  #takeTrouble(failure: RoleFailure): void {
    const isOver = this.#finished !== null || (this.#step === 'drained' && !isBrokerRole(this.role));
    if (isOver) {
      this.#context.log.add('info', 'agent', `After the end of the Run: ${failure.message}`);
      return;
    }
    this.#context.log.add('error', 'agent', failure.message);
    this.#failure ??= failure;
    this.#context.events.onTrouble(failure);
  }

  async #end(): Promise<RoleResult> {
    const result = await this.#run.finish().catch((error: unknown) => this.#resultOfFault(error));
    // A command that was under way ends by itself once its processes are gone.
    await this.#busy?.catch(() => {});
    return { ...result, failure: this.#failure };
  }

  /** Returns an empty result, so that the server learns of a fault of this agent instead of waiting for the result. */
  #resultOfFault(error: unknown): RoleResult {
    this.#failure ??= toFailure(error, this.#fallback);
    this.#context.log.add('error', 'agent', `The result could not be collected: ${reasonOf(error)}`);
    return { ...makeEmptyResult(this.role), log: this.#context.log.lines() };
  }

  get #fallback(): Omit<RoleFailure, 'message'> {
    return { code: `${this.role}-failed`, remedy: 'Look at the log of this Run, then retry it.' };
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

  async #carryOut(next: Step, work: () => Promise<unknown>): Promise<unknown> {
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
    if (this.#finished !== null) return `Run ${this.runId} is being ended`;
    if (this.#failure !== null) return `Run ${this.runId} has failed (${this.#failure.code})`;
    const working = this.#busy === null ? '' : ' and another command is being carried out';
    return `Run ${this.runId} as ${this.role} is ${this.#step}${working}`;
  }
}

function startLate(role: RoleResult['role'], lateUs: number): RoleFailure {
  return {
    code: 'start-late',
    message: `The ${role} was ready ${Math.ceil(lateUs / 1000)} ms after the measure phase had begun.`,
    remedy: 'Check the load of the device and the network to it, or choose a longer warm-up.',
  };
}

export type PrepareCommand = Extract<
  AgentCommand,
  { kind: 'prepare-broker' | 'prepare-client' | 'prepare-bridge' }
>;

export function roleOf(command: PrepareCommand): RoleResult['role'] {
  return command.kind === 'prepare-bridge' ? 'bridge' : command.role;
}

function makeRoleRun(context: RunContext, command: PrepareCommand): RoleRun {
  if (command.kind === 'prepare-broker') return new BrokerRun(context, command);
  if (command.kind === 'prepare-bridge') return new BridgeRun(context, command);
  const { external, role } = command;
  if (external?.role !== role) return new ClientRun(context, command);
  const forDevice = { ...command, external };
  return role === 'publisher' ? new ExternalRun(context, forDevice) : new EchoedRun(context, forDevice);
}

export function isPrepare(command: AgentCommand): command is PrepareCommand {
  const kinds: readonly string[] = ['prepare-broker', 'prepare-client', 'prepare-bridge'];
  return kinds.includes(command.kind);
}

/** How far one role of one Run has come. */
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

/** Which command may follow which; a broker has nothing to connect. */
const transitions: Record<RoleResult['role'], Partial<Record<StepCommand, Transition>>> = {
  broker: ofBroker,
  'cloud-broker': ofBroker,
  publisher: ofClient,
  bridge: ofClient,
  subscriber: ofClient,
};

/** The step that a command leads to, or null when it is not its turn. */
export function nextStep(role: RoleResult['role'], step: Step, command: StepCommand): Step | null {
  const transition = transitions[role][command];
  return transition?.from === step ? transition.to : null;
}

export function wrongOrder(command: string, situation: string): RoleFailure {
  return {
    code: 'wrong-order',
    message: `"${command}" came out of order: ${situation}.`,
    remedy: 'This is a fault of the server; abort the Run and retry it.',
  };
}
