import type { BrokerHost, BrokerOffer } from './broker.ts';
import { makeEmbeddedBroker } from './embedded.ts';
import { largestPacketBytes } from './mosquitto-sessions.ts';

/** Version of the bundled aedes; said here so that the agent need not load the broker to announce it. */
export const aedesVersion = '1.2.0';

/** Always there: it travels with the agent and speaks TLS through Node's own OpenSSL. */
export async function offerEmbedded({ entry, nodeTls }: BrokerHost): Promise<BrokerOffer> {
  return {
    capability: {
      kind: 'embedded',
      version: aedesVersion,
      mqttVersions: ['3.1', '3.1.1'],
      maximumPacketBytes: largestPacketBytes,
      transports: ['tcp', 'websocket'],
      // Aedes takes "$share/.." for a topic like any other.
      sharedSubscriptions: false,
      clientCertificates: true,
      choosesFiniteField: true,
      resumes: ['TLS 1.2', 'TLS 1.3'],
      tls: await nodeTls,
    },
    make: (options) => makeEmbeddedBroker({ entry, version: aedesVersion }, options),
  };
}
