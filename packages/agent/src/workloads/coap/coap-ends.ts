import type { Socket } from 'node:dgram';
import type { Negotiated } from '@mqttlab/shared/domain/runs/role-result';

/** Where nothing says which: on the loopback the same as the server's, else whatever the kernel chooses. */
export function ownAddressFor(address: string): string {
  if (address.startsWith('127.') || address === '::1') return address;
  return address.includes(':') ? '::' : '0.0.0.0';
}

/** UDP negotiates nothing: only who talks to whom. */
export function describeEnds(ends: { address: string; port: number; socket: Socket | null }): Negotiated {
  const local = ends.socket?.address();
  return {
    protocol: null,
    cipherSuite: null,
    group: null,
    certificate: null,
    certificateSubject: null,
    certificateChainLength: null,
    signature: null,
    resumed: null,
    clientCertificate: null,
    mqttVersion: 'none: CoAP',
    grantedQos: null,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: local?.address ?? '',
    localPort: local?.port ?? 0,
    remoteAddress: ends.address,
    remotePort: ends.port,
  };
}
