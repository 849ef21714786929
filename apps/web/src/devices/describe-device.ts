import type { AgentCapabilities, TestbedCapabilities } from '@mqttlab/shared/domain/capabilities';

type Device = TestbedCapabilities['devices'][number];

/** One line that tells devices apart: processor, system, and the broker where there is one. */
export function describeDevice({ capabilities }: Pick<Device, 'capabilities'>): string {
  if (!capabilities) return 'has announced nothing yet';
  const { cpuModel, cpuCores, os } = capabilities;
  const broker = brokerName(capabilities);
  return [`${cpuCores} × ${cpuModel}`, os, ...(broker ? [broker] : [])].join(', ');
}

/** "mosquitto 2.0.11"; null on a device that can play no broker. */
export function brokerName({ brokers }: Pick<AgentCapabilities, 'brokers'>): string | null {
  const [first] = brokers;
  return first ? `${first.kind} ${first.version}` : null;
}
