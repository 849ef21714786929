import type { brokerRoles } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import { type AgentCommand, type BrokerReady, brokerReadySchema } from '@mqttlab/shared/messages/agent';
import type { Certificates } from '../pki/certificates.ts';
import type { BrokerStore } from '../store/settings/broker-store.ts';
import { type BrokerAccess, findBrokerAccess } from './broker-access.ts';
import { specOf } from './participants.ts';
import { issueRunCertificates, type RunCertificates } from './run-certificates.ts';
import type { RunDevice, RunDevices } from './run-devices.ts';
import type { shapeLinks } from './shape-links.ts';

/** One leg of a Trial: its brokers, which run, and how clients get at them. */
export interface TrialLeg {
  spec: TrialSpec;
  access: BrokerAccess;
  issued: RunCertificates;
  /** At least one, in the order of the testbed. */
  brokers: readonly [BrokerReady, ...BrokerReady[]];
}

export interface LegRequest {
  devices: RunDevices;
  role: (typeof brokerRoles)[number];
  testbedId: string;
  spec: TrialSpec;
  clockOf: (device: RunDevice) => ClockOffset;
  shaping: ReturnType<typeof shapeLinks>;
  timeoutMs: number;
}

/** Issues certificates and starts the brokers of a leg. Rejects with RunError or AgentError. */
export async function startLeg(
  deps: { certificates: Certificates; externalBrokers: Pick<BrokerStore, 'find' | 'credentials'> },
  { devices, role, testbedId, spec, clockOf, shaping, timeoutMs }: LegRequest,
): Promise<TrialLeg> {
  const own = devices.of(role);
  const access = await findBrokerAccess(deps, { testbedId, spec });
  const addresses = own.flatMap(({ link }) => link.capabilities.interfaces.map(({ address }) => address));
  const issuing = issueRunCertificates(deps.certificates, { testbedId, spec, addresses });
  const issued = await devices.unlessBroken(issuing);
  const prepare = (device: RunDevice): AgentCommand => ({
    kind: 'prepare-broker',
    role,
    spec: specOf(device, spec),
    tls: issued.broker,
    external: access.external,
    ...shaping(device),
    energySource: null,
    clock: clockOf(device),
  });
  const [first, ...others] = await devices.askAll(own, prepare, { schema: brokerReadySchema, timeoutMs });
  if (first === undefined) throw new Error(`no device plays the ${role}`);
  return { spec, access, issued, brokers: [first, ...others] };
}
