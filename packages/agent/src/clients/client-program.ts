import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { AgentClient } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { ProgramEntry } from '../brokers/broker.ts';
import type { PrepareWorker } from '../load-process/worker-messages.ts';

type Role = PrepareClient['role'];

/**
 * How the clients of one Run are started: one process for each connection. A publisher sends each line of its standard
 * input as one message, and ends by itself when that ends and everything is acknowledged; a subscriber prints each
 * message as one line.
 */
export interface ClientProgram {
  command: (role: Role, endpoint: PrepareClient['broker'], clientId: string) => string[];
  environment: Record<string, string>;
  /** Whether the first line that it prints is what it negotiated, as JSON (`ToldConnection`). */
  tells: boolean;
}

export interface ClientProgramOptions {
  command: PrepareWorker;
  /** Of the Run: for files that nobody else may read, mode 0600. */
  folder: string;
  /** How this agent is started. */
  entry: ProgramEntry;
}

/** A client engine that is a program of its own. */
export interface ClientKind {
  /** One of its processes, in a sentence: "A mosquitto client ended". */
  name: string;
  /** null where it is not on this device, or too old. */
  find: () => Promise<{ version: string; tls: TlsCapability | null } | null>;
  /** Rejects with Failure. */
  prepare: (options: ClientProgramOptions) => Promise<ClientProgram>;
}

export type ProcessEngine = Exclude<AgentClient, 'native'>;
