import { brokerGroupListOf } from '../tls/suites-and-groups.ts';
import type { Broker, BrokerHost, BrokerOffer, BrokerOptions, ProgramEntry } from './broker.ts';
import { ChildBroker } from './child-broker.ts';
import type { EmbeddedListen } from './embedded-listen.ts';
import { largestPacketBytes } from './mosquitto-configuration.ts';

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

/** Aedes in a process of its own: for devices without Mosquitto, MQTT 3.1 and 3.1.1 only. */
function makeEmbeddedBroker(
  { entry, version }: { entry: ProgramEntry; version: string },
  options: BrokerOptions,
): Broker {
  const { spec, tls, address } = options;
  const { transport, security, cipherSuite, group } = spec;
  const { certificateChain = '', privateKey = '', clientAuthority = null } = tls ?? {};
  const listen: EmbeddedListen = {
    address,
    transport,
    security,
    cipherSuite,
    group,
    groupList: brokerGroupListOf(spec),
    tls: tls && { certificateChain, privateKey, clientAuthority },
  };
  return new ChildBroker({
    ...options,
    entry,
    mode: 'embedded-broker',
    kind: 'embedded',
    version,
    name: 'The embedded broker',
    listen,
    facts: {
      'broker.configuration': `aedes ${version}, in-memory persistence, unthrottled, TCP_NODELAY`,
      'broker.tlsLibrary': `OpenSSL ${process.versions.openssl}`,
    },
  });
}
