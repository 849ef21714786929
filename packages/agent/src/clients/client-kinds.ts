import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { ClientKind, ProcessEngine } from './client-program.ts';
import { mosquittoClients } from './kinds/mosquitto-clients.ts';
import { mqttJsClient } from './kinds/mqtt-js.ts';
import { pahoClient } from './kinds/paho.ts';

/** All client engines except the built-in one. To support another engine, add a line here. */
export const clientKinds: Readonly<Record<ProcessEngine, ClientKind>> = {
  'mosquitto clients': mosquittoClients,
  'mqtt.js': mqttJsClient,
  'paho-mqtt': pahoClient,
};

/** Returns the engines available on this device. */
export async function findClients(): Promise<AgentCapabilities['clients']> {
  const engines = Object.keys(clientKinds) as ProcessEngine[];
  const found = engines.map(async (engine) => {
    const about = await clientKinds[engine].find();
    return about === null ? [] : [{ engine, ...about }];
  });
  return (await Promise.all(found)).flat();
}
