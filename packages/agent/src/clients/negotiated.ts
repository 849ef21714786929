import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { protocolOf } from '../tls/connect-options.ts';
import type { LocalEnd } from './socket-ports.ts';

export interface KnownOfConnection {
  /** Of the first connection; null where the kernel does not tell. */
  local: LocalEnd | null;
  /** Whether a single group was offered. */
  singleGroup: boolean;
}

/**
 * What is known of a connection that belongs to another program: it offered one version and one suite (and group), as
 * was checked, so that nothing else can have been agreed on. What the broker showed or granted cannot be read: null.
 */
export function describeNegotiated({ spec, broker }: PrepareClient, known: KnownOfConnection): Negotiated {
  return {
    protocol: protocolOf(spec.security),
    cipherSuite: spec.cipherSuite,
    group: known.singleGroup ? spec.group : null,
    certificate: null,
    certificateSubject: null,
    certificateChainLength: null,
    signature: null,
    // Each process makes a handshake of its own; they keep no tickets.
    resumed: spec.security === 'plain' ? null : false,
    clientCertificate: null,
    mqttVersion: spec.mqttVersion,
    grantedQos: null,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: known.local?.address ?? '',
    localPort: known.local?.port ?? 0,
    remoteAddress: broker.address,
    remotePort: broker.port,
  };
}
