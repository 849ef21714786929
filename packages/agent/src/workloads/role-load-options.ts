import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { ConnectionSource } from '../mqtt/connection-source.ts';
import type { MicrosecondClock } from '../pacing/monotonic.ts';
import type { LoadedPayloadCipher } from '../payload/path/payload-path.ts';

export interface RoleLoadOptions {
  command: PrepareClient;
  clock: MicrosecondClock;
  /** null without one. */
  payloadCipher: LoadedPayloadCipher | null;
}

/** For workloads that open and close connections themselves. */
export interface ConnectingLoadOptions extends RoleLoadOptions {
  connections: ConnectionSource;
  /** The Run cannot be what was asked. */
  onTrouble: (failure: RoleFailure) => void;
}
