import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import type { Preflight } from '@mqttlab/shared/messages/http';
import type { Agents } from '../../testbed/agent-link.ts';
import type { Leases } from '../../testbed/leases.ts';
import type { TestbedRegistry } from '../../testbed/testbeds.ts';
import type { SessionDependencies } from '../trial-session.ts';

export type PreflightCheck = Preflight['checks'][number];

export interface PreflightDependencies extends SessionDependencies {
  agents: Agents;
  testbeds: Pick<TestbedRegistry, 'find' | 'participantsOf'>;
  leases: Leases;
  /** Where the results will be stored. */
  dataFolder: string;
  /** What the agent of a device said last; null where it has said nothing. */
  healthOf: (deviceId: string) => DeviceHealth | null;
  /** Of this server; its agents are of the same. */
  version: string;
  nowMs: () => number;
}
