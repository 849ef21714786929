import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { AccessRole } from '@mqttlab/shared/messages/access';

/** A successful or failed login. */
export interface LoginAttempt {
  address: string;
  /** Role of the caller; null if the token or password was wrong. */
  role: AccessRole | null;
  /** Number of consecutive failures from this address. */
  failures: number;
}

/** Events that lower services emit and higher services subscribe to in `server.ts`. */
interface ServerEventMap {
  /** A device connected with these capabilities, or disconnected (null). */
  'device-connection': [deviceId: string, capabilities: AgentCapabilities | null];
  /** An agent reported the health of its device. */
  'device-health': [deviceId: string, health: DeviceHealth];
  /** An agent has connected through the SSH session of its device. */
  'agent-tunnel': [stream: Duplex];
  /** The state, installation or role of a device changed. */
  'device-changed': [deviceId: string];
  /** The status of a testbed changed; its queue may be able to continue. */
  'testbed-changed': [testbedId: string];
  /** Late results corrected this run, so other attempts at its trial are not needed. */
  'run-corrected': [run: RunSummary];
  'experiment-imported': [];
  'login-attempt': [attempt: LoginAttempt];
  /** Accounts, tokens or sessions changed: open connections may have lost their access. */
  'access-changed': [];
  'storage-settings-changed': [];
}

/**
 * The single emitter of the server. Listeners are called synchronously; an exception reaches the emitting
 * service.
 */
export type ServerEvents = EventEmitter<ServerEventMap>;

export const makeServerEvents = (): ServerEvents => new EventEmitter<ServerEventMap>();
