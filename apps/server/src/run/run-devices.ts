import { setTimeout as wait } from 'node:timers/promises';
import { loadAgents } from '@mqttlab/shared/catalogue/factors/load-agents';
import { anyPool, loadPool } from '@mqttlab/shared/catalogue/factors/load-pool';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import { neededRoles, rolesOf } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure, type FailureReport } from '@mqttlab/shared/kit/failure';
import type { AgentCommand, LoadShare } from '@mqttlab/shared/messages/agent';
import type * as z from 'zod';
import type { AgentHub } from '../devices/agent-hub.ts';
import type { AgentLink, RunListener } from '../devices/agent-link.ts';
import type { Participant } from '../devices/testbeds.ts';

/** A participating device and its connection. */
export interface RunDevice extends RunParticipant {
  link: AgentLink;
}

interface RunDevicesOptions {
  agents: Pick<AgentHub, 'findAgent' | 'listenToRun'>;
  runId: number;
  participants: readonly RunParticipant[];
  /** Ends every wait immediately with its reason. */
  signal: AbortSignal;
  listener: Omit<RunListener, 'onFailure' | 'participants'>;
}

interface Question<T> {
  schema: z.ZodType<T>;
  timeoutMs: number;
}

const abortTimeoutMs = 8_000;
const deliveryTimeoutMs = 5_000;

/** The connections of clients close before the server detects that the broker or its device has failed. */
const effect = 'connection-lost';
const causeMs = 400;

/**
 * Rejects with `agent-lost` if one of these devices disconnected, otherwise with `error`. Each device is
 * asked for its clock after a pause; when it responds, its earlier reports have arrived, even on a busy
 * machine.
 */
async function throwCause(error: unknown, devices: readonly RunDevice[]): Promise<never> {
  if (!(error instanceof Failure && error.code === effect)) throw error;
  await wait(causeMs);
  const asked = await Promise.allSettled(devices.map(({ link }) => link.exchangeClock()));
  const reasons = asked.map((answer) => (answer.status === 'rejected' ? answer.reason : null));
  throw reasons.find((reason) => reason instanceof Failure && reason.code === 'agent-lost') ?? error;
}

/** The devices of one run. The first failure of a device ends every wait. */
export class RunDevices {
  readonly #runId: number;
  readonly #devices: readonly RunDevice[];
  readonly #broken: Promise<never>;
  readonly #stopListening: () => void;

  /** Throws Failure 'agent-offline'. */
  constructor({ agents, runId, participants, signal, listener }: RunDevicesOptions) {
    this.#runId = runId;
    const devices = participants.map((participant) => ({
      ...participant,
      link: findLink(agents, participant),
    }));
    this.#devices = devices;
    const trouble = Promise.withResolvers<never>();
    this.#broken = trouble.promise;
    this.#broken.catch(() => {});
    const cancel = (): void => trouble.reject(signal.reason);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const endListening = agents.listenToRun(runId, {
      ...listener,
      participants: new Map(participants.map(({ deviceId, role }) => [deviceId, role])),
      onFailure(_deviceId, failure) {
        throwCause(new Failure(failure), devices).catch(trouble.reject);
      },
    });
    this.#stopListening = () => {
      endListening();
      signal.removeEventListener('abort', cancel);
    };
  }

  get all(): readonly RunDevice[] {
    return this.#devices;
  }

  /** Returns the devices with these roles in the order of the testbed. */
  of(...roles: readonly Role[]): readonly RunDevice[] {
    return this.#devices.filter(({ role }) => roles.includes(role));
  }

  /** Returns the only device in its role. */
  the(role: Role): RunDevice {
    const [device] = this.of(role);
    if (device === undefined) throw new Error(`no device has the role ${role}`);
    return device;
  }

  unlessBroken<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work.catch((error: unknown) => throwCause(error, this.#devices)), this.#broken]);
  }

  /** Sends a command to all these devices in parallel. Rejects with Failure. */
  async command(
    devices: readonly RunDevice[],
    make: AgentCommand | ((device: RunDevice) => AgentCommand),
    timeoutMs: number,
  ): Promise<void> {
    const sent = devices.map((device) => this.#send(device, commandFor(device, make), timeoutMs));
    await this.unlessBroken(Promise.all(sent));
  }

  /** Sends a command and resolves with the responses in the order of the devices. */
  askAll<T>(
    devices: readonly RunDevice[],
    make: AgentCommand | ((device: RunDevice) => AgentCommand),
    question: Question<T>,
  ): Promise<T[]> {
    return Promise.all(devices.map((device) => this.ask(device, commandFor(device, make), question)));
  }

  /** Rejects with Failure. */
  async ask<T>(device: RunDevice, command: AgentCommand, { schema, timeoutMs }: Question<T>): Promise<T> {
    const data = await this.unlessBroken(this.#send(device, command, timeoutMs));
    const parsed = schema.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new Failure({
      code: 'agent-answer',
      message: `${device.name} sent an invalid response to "${command.kind}".`,
      remedy: 'Install an agent of this server’s version.',
    });
  }

  /** Resolves with the round-trip time to the slowest device, in µs. Rejects with Failure. */
  async slowestRoundTripUs(): Promise<number> {
    const exchanged = Promise.all(this.#devices.map(({ link }) => link.exchangeClock()));
    const samples = await this.unlessBroken(exchanged);
    return Math.max(...samples.map(({ t0Us, t3Us }) => t3Us - t0Us));
  }

  /** Ends the run on these devices. Never rejects; resolves with false if a device did not respond. */
  async abort(devices: readonly RunDevice[], reason: string): Promise<boolean> {
    const answers = await Promise.allSettled(devices.map(({ link }) => abortRun(link, this.#runId, reason)));
    return answers.every(({ status }) => status === 'fulfilled');
  }

  /** Ends the run in any state. Never rejects. */
  async tearDown(devices: readonly RunDevice[]): Promise<void> {
    const command: AgentCommand = { kind: 'teardown' };
    await Promise.allSettled(devices.map((device) => this.#send(device, command, abortTimeoutMs)));
  }

  /** Stops listening. Idempotent. */
  close(): void {
    this.#stopListening();
  }

  #send({ link }: RunDevice, command: AgentCommand, timeoutMs: number): Promise<unknown> {
    return link.command({ runId: this.#runId, command, timeoutMs });
  }
}

function commandFor(
  device: RunDevice,
  make: AgentCommand | ((device: RunDevice) => AgentCommand),
): AgentCommand {
  return typeof make === 'function' ? make(device) : make;
}

function findLink(agents: Pick<AgentHub, 'findAgent'>, { deviceId, name }: RunParticipant): AgentLink {
  const link = agents.findAgent(deviceId);
  if (link !== null) return link;
  throw new Failure({
    code: 'agent-offline',
    message: `${name} is offline.`,
    remedy: 'Check that the device is on and its agent is running, then retry the run.',
  });
}

/** Ends a run on a device. Rejects with Failure. A device without that run also responds. */
function abortRun(link: AgentLink, runId: number, reason: string): Promise<unknown> {
  return link.command({ runId, command: { kind: 'abort', reason }, timeoutMs: abortTimeoutMs });
}

/** Ends these runs on a device. Resolves with true if none of them remains on the device. */
export async function endRuns(link: AgentLink, runIds: readonly number[]): Promise<boolean> {
  try {
    for (const runId of runIds) await abortRun(link, runId, 'the server abandoned this run');
  } catch (error) {
    // A device that refuses does not have the run; a disconnected device may still have it.
    if (error instanceof Failure && /^agent-(lost|silent)$/.test(error.code)) return false;
  }
  return link.collectResults(deliveryTimeoutMs);
}

/** A device in one run, with its share of the load. */
export interface RunParticipant extends Participant {
  /** Share of the load; null if the device is the only one in its role. */
  share: LoadShare | null;
  /** Number of publishers or subscribers; 0 for roles without load. */
  clients: number;
}

/**
 * Returns the devices that participate in a trial and the load of each. Devices without load are omitted.
 * Throws Failure if too few devices in a pool are online. Pure.
 */
export function selectParticipants(testbed: readonly Participant[], spec: TrialSpec): RunParticipant[] {
  const totals: Partial<Record<Participant['role'], number>> = {
    publisher: spec.publishers,
    subscriber: spec.subscribers,
  };
  const wanted = rolesOf(spec);
  const lacking = neededRoles.find((role) => !testbed.some((device) => device.role === role));
  if (lacking) throw new Failure(agentsMissing(`No ${lacking} in this testbed is online.`));
  const publishing = chooseLoadAgents(testbed, spec);
  const devices = testbed.filter(
    (device) => wanted.includes(device.role) && (device.role !== 'publisher' || publishing.includes(device)),
  );
  return [...Map.groupBy(devices, ({ role }) => role).entries()].flatMap(([role, devices]) => {
    const total = totals[role];
    if (total === undefined) return devices.map((device) => ({ ...device, share: null, clients: 0 }));
    const counts = divide(total, devices.length).filter((count) => count > 0);
    return counts.flatMap((clients, index) => {
      const device = devices[index];
      const first = counts.slice(0, index).reduce((sum, count) => sum + count, 0);
      const share = { index, of: counts.length, first, publishers: spec.publishers };
      return device ? [{ ...device, share: counts.length === 1 ? null : share, clients }] : [];
    });
  });
}

/** Returns true if enough devices are online. */
export function hasParticipants(testbed: readonly Participant[], spec: TrialSpec): boolean {
  try {
    return selectParticipants(testbed, spec).length > 0;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Returns as many publishers from the pool as the trial requires. Throws Failure if too few are online. */
function chooseLoadAgents(testbed: readonly Participant[], spec: TrialSpec): Participant[] {
  const [wanted, pool] = [loadAgents.of(spec), loadPool.of(spec)];
  const there = testbed.filter(
    (device) => device.role === 'publisher' && (pool === anyPool || device.pool === pool),
  );
  if (there.length > 0 && there.length >= wanted) return wanted === 0 ? there : there.slice(0, wanted);
  const of = pool === anyPool ? '' : ` from pool ${pool}`;
  const text = `The plan requires ${wanted || 'the'} load agents${of}, but ${there.length} are online.`;
  throw new Failure(agentsMissing(text));
}

function agentsMissing(message: string): FailureReport {
  return { code: 'agents-missing', message, remedy: 'Start or enrol more agents, then retry the run.' };
}

/** Returns the trial for one device, with its share of the load and its interface for the link. Pure. */
export function specOf({ role, share, clients, interfaces }: RunParticipant, spec: TrialSpec): TrialSpec {
  const own = { ...spec, link: interfaces?.[spec.link] ?? spec.link };
  if (role === 'subscriber') return { ...own, subscribers: clients };
  if (role !== 'publisher' || share === null) return own;
  return {
    ...own,
    publishers: clients,
    connections: Math.max(1, divide(spec.connections, share.of)[share.index] ?? 1),
  };
}

/**
 * Returns the number of measured messages that a subscriber's device should receive; null if unknown. Pure.
 */
export function expectedAt({ share, clients }: RunParticipant, spec: TrialSpec, sent: number): number | null {
  if (!spec.sharedSubscription) return sent * clients;
  return share === null ? sent : null;
}

/** Divides `total` as evenly as integers allow, with larger parts first. */
function divide(total: number, parts: number): number[] {
  const least = Math.floor(total / parts);
  return Array.from({ length: parts }, (_, index) => least + (index < total % parts ? 1 : 0));
}
