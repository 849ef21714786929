import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentCommand, Progress } from '@mqttlab/shared/messages/agent';
import type { PhaseNow } from '@mqttlab/shared/messages/live';
import type { ClockSample } from '@mqttlab/shared/statistics/estimates/clock-offset';

/** A command that a device refused, could not carry out or did not answer. */
export class AgentError extends Error {
  readonly failure: RoleFailure;

  constructor(failure: RoleFailure) {
    super(failure.message);
    this.name = 'AgentError';
    this.failure = failure;
  }
}

export interface CommandOptions {
  runId: number;
  command: AgentCommand;
  /** ms until the answer counts as missing. */
  timeoutMs: number;
}

/** A device that is connected now. */
export interface AgentLink {
  readonly deviceId: string;
  readonly capabilities: AgentCapabilities;
  /** The answer, not yet parsed. Rejects with AgentError: as the device said, or 'agent-lost', 'agent-silent'. */
  command(options: CommandOptions): Promise<unknown>;
  /** Rejects with AgentError. */
  exchangeClock(): Promise<ClockSample>;
  /** Resolves true once every result that the device had kept has arrived, false when it is gone or time is over. */
  whenDelivered(timeoutMs: number): Promise<boolean>;
}

/** What devices tell about one Run while it goes on; only those that take part are heard, each in its own role. */
export interface RunListener {
  participants: ReadonlyMap<string, Role>;
  onPhase(phase: PhaseNow): void;
  onProgress(progress: Progress): void;
  onLog(deviceId: string, line: LogLine): void;
  /** The Run cannot go on: a role broke, or its device is gone. */
  onTrouble(deviceId: string, failure: RoleFailure): void;
}

/** A device that may dial in, as its token says. */
export interface AgentIdentity {
  deviceId: string;
  name: string;
  role: Role;
}

export interface DeliveredResult {
  deviceId: string;
  runId: number;
  result: RoleResult;
}

/** All devices that dial in. */
export interface Agents {
  /** null while it is offline. */
  find(deviceId: string): AgentLink | null;
  /** Last announcement, also of a device that is offline now; null when it never connected. */
  capabilitiesOf(deviceId: string): AgentCapabilities | null;
  /** One listener for each Run; returns what ends it. */
  listen(runId: number, listener: RunListener): () => void;
  /** Resolves true when all of them are online, false when `timeoutMs` is over or `signal` aborts. */
  whenOnline(
    deviceIds: readonly string[],
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<boolean>;
}
