import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentCommand, Progress } from '@mqttlab/shared/messages/agent';
import type { PhaseNow } from '@mqttlab/shared/messages/live';
import type { ClockSample } from '@mqttlab/shared/statistics/estimates/clock-offset';

export interface CommandOptions {
  runId: number;
  command: AgentCommand;
  /** Timeout for the response, in ms. */
  timeoutMs: number;
}

/** A connected device. */
export interface AgentLink {
  readonly deviceId: string;
  readonly capabilities: AgentCapabilities;
  /**
   * Sends a command. Resolves with the unparsed response. Rejects with the device's Failure, or with
   * 'agent-lost' or 'agent-silent'.
   */
  command(options: CommandOptions): Promise<unknown>;
  /** Rejects with Failure. */
  exchangeClock(): Promise<ClockSample>;
  /**
   * Resolves with true when every result stored on the device has arrived. Resolves with false after
   * `timeoutMs`, if the device disconnects, or when `signal` aborts.
   */
  collectResults(timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

/**
 * Receives the reports from devices on one run while it is being executed, only from participants, each in
 * its role.
 */
export interface RunListener {
  participants: ReadonlyMap<string, Role>;
  onPhase(phase: PhaseNow): void;
  onProgress(progress: Progress): void;
  onLog(deviceId: string, line: LogLine): void;
  /** Called if the run cannot continue because a role failed or its device disconnected. */
  onFailure(deviceId: string, failure: RoleFailure): void;
}

/** A device that is allowed to connect, according to its token. */
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
