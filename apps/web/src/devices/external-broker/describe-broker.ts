import type { ExternalBroker } from '@mqttlab/shared/domain/external-broker';
import type { Fact } from '../../ui/facts.tsx';

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
