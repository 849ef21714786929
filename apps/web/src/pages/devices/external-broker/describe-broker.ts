import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { Preflight } from '@mqttlab/shared/messages/http';
import type { Fact } from '../../../ui/facts.tsx';

type Check = Preflight['checks'][number];

export function describeBroker(broker: ExternalBroker): Fact[] {
  const { address, port, tlsPort, websocketPort, mqttVersions, username, hasPassword, process, unit } =
    broker;
  const ports = [
    ...(port === null ? [] : [`${port} plain`]),
    ...(tlsPort === null ? [] : [`${tlsPort} TLS`]),
    ...(websocketPort === null ? [] : [`${websocketPort} WebSocket`]),
  ];
  const trust = broker.authority === null ? 'the testbed’s authority' : 'its own authority';
  return [
    { label: 'Address', value: address },
    { label: 'Ports', value: ports.join(', ') },
    { label: 'MQTT', value: mqttVersions.join(', ') },
    {
      label: 'Login',
      value: username === null ? 'anonymous' : `${username}, ${hasPassword ? 'with' : 'without'} password`,
    },
    ...(tlsPort === null
      ? []
      : [{ label: 'Certificate', value: `${broker.serverName ?? address}, by ${trust}` }]),
    {
      label: 'Measured',
      value: unit !== null ? `unit ${unit}` : process !== null ? `process ${process}` : 'no process',
    },
  ];
}

/** A check of the pre-flight in the words of this panel, which has said already whose connections these are. */
export function describeCheck(
  { label, evidence, status }: Check,
  broker: ExternalBroker,
): { protocol: string; found: string } {
  const way = (label.split(':')[0] ?? label).replace(', external broker', '');
  const [protocol = way, ...details] = way.split(', ');
  if (status === 'passed') {
    const seen = evidence.replace(`external ${broker.label}`, '').replace(/^, /, '');
    return { protocol, found: seen === '' ? 'Both clients connected.' : `Both clients connected: ${seen}.` };
  }
  const tried = details.length === 0 ? '' : `Tried ${details.join(', ')}. `;
  return { protocol, found: `${tried}${evidence}${/[.!?]$/.test(evidence) ? '' : '.'}` };
}
