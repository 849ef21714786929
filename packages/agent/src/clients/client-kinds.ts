import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { ClientKind, ProcessEngine } from './client-program.ts';
import { mosquittoClients } from './mosquitto-clients.ts';
import { mqttJsClient } from './scripts/mqtt-js.ts';
import { pahoClient } from './scripts/paho.ts';

/** All client engines except the built-in one. A new engine is one line here. */
export const clientKinds: Readonly<Record<ProcessEngine, ClientKind>> = {
  'mosquitto clients': mosquittoClients,
  'mqtt.js': mqttJsClient,
  'paho-mqtt': pahoClient,
};

/** The engines available on this device. */
export async function findClients(): Promise<AgentCapabilities['clients']> {
  const engines = Object.keys(clientKinds) as ProcessEngine[];
  const found = engines.map(async (engine) => {
    const about = await clientKinds[engine].find();
    return about === null ? [] : [{ engine, ...about }];
  });
  return (await Promise.all(found)).flat();
}
