import mqttPackage from 'mqtt/package.json' with { type: 'json' };
import { type ClientKind, writeScriptSettings } from '../client-program.ts';

/** mqtt.js is bundled with the agent and uses the TLS library of the agent's Node. */
export const mqttJsClient: ClientKind = {
  name: 'mqtt.js client',
  find: async () => ({ version: mqttPackage.version, tls: null }),
  async prepare(options) {
    const { execPath, args } = options.entry;
    const settings = await writeScriptSettings(options);
    return {
      command: (role, { address, port }, clientId) => [
        execPath,
        ...args,
        'mqtt-js-client',
        settings,
        role,
        address,
        String(port),
        clientId,
      ],
      // Warnings from Node would hide the reason for a failure.
      environment: { NODE_NO_WARNINGS: '1' },
      reportsConnection: true,
    };
  },
};
