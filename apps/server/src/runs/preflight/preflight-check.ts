import type { DeviceHealth } from '@mqttlab/shared/domain/devices/device-health';
import type { Preflight, TestbedStatus } from '@mqttlab/shared/messages/http';
import type { Agents } from '../../testbed/agent-link.ts';
import type { Leases } from '../../testbed/leases.ts';
import type { TestbedRegistry } from '../../testbed/testbeds.ts';
import type { SessionDependencies } from '../trial-session.ts';

export type PreflightCheck = Preflight['checks'][number];
/** A check without the name of its device. */
export type DeviceVerdict = Omit<PreflightCheck, 'device'>;
export type CheckedDevice = TestbedStatus['devices'][number];

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

/** What a check found: `about` says which check, and of which device. */
export function passed<About>(about: About, evidence: string, remedy: string | null = null) {
  return { ...about, status: 'passed' as const, evidence, remedy };
}

export function notApplicable<About>(about: About, evidence: string) {
  return { ...about, status: 'not applicable' as const, evidence, remedy: null };
}

export function warned<About>(about: About, evidence: string, remedy: string) {
  return { ...about, status: 'warning' as const, evidence, remedy };
}

export function failed<About>(about: About, evidence: string, remedy: string) {
  return { ...about, status: 'failed' as const, evidence, remedy };
}
