import { brokerGroupListOf } from '../tls/group-list.ts';
import type { Broker, BrokerOptions, ProgramEntry } from './broker.ts';
import { ChildBroker } from './child-broker.ts';
import type { EmbeddedListen } from './embedded-listen.ts';

/** Aedes in a process of its own: for devices without Mosquitto, MQTT 3.1 and 3.1.1 only. */
export function makeEmbeddedBroker(
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
