import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { cipherStringOf } from '../brokers/suite-ciphers.ts';
import { groupListOf } from './group-list.ts';
import { pinnedSignature } from './signature-schemes.ts';

export type TlsSpec = Pick<TrialSpec, 'security' | 'cipherSuite' | 'group' | 'certificate'>;

export interface TlsPeer {
  /** PEM of the only authority that is trusted. */
  authority: string;
  /** The name that the certificate must carry. */
  serverName: string;
  /** PEM texts of what the client shows under mutual TLS. */
  certificate?: { certificateChain: string; privateKey: string } | null;
}

/**
 * Options for `tls.connect` that leave nothing to negotiate: one version, one suite, one group, one signature
 * scheme; without a session to resume, which `SessionStore` adds. The context is made here, once, so that no handshake pays for it.
 * Throws when OpenSSL does not know the suite or the group.
 */
export function makeTlsOptions(spec: TlsSpec, peer: TlsPeer): ConnectionOptions {
  return {
    secureContext: createSecureContext(makeContextOptions(spec, peer)),
    // RFC 6066 section 3 allows no addresses as server name; the certificate is checked against it all the same.
    ...(isIP(peer.serverName) === 0 ? { servername: peer.serverName } : { host: peer.serverName }),
    rejectUnauthorized: true,
  };
}

/** `protocol` as Node names it. */
export function protocolOf(security: TrialSpec['security']): 'TLSv1.2' | 'TLSv1.3' | null {
  if (security === 'plain') return null;
  return security === 'TLS 1.3' ? 'TLSv1.3' : 'TLSv1.2';
}

function makeContextOptions(spec: TlsSpec, { authority, certificate }: TlsPeer): SecureContextOptions {
  const version = protocolOf(spec.security) ?? 'TLSv1.3';
  const signature = pinnedSignature(spec.certificate);
  const groups = groupListOf(spec);
  return {
    ca: authority,
    ...(certificate ? { cert: certificate.certificateChain, key: certificate.privateKey } : {}),
    minVersion: version,
    maxVersion: version,
    ...(spec.cipherSuite === null ? {} : { ciphers: cipherStringOf(spec.cipherSuite) }),
    ...(groups === null ? {} : { ecdhCurve: groups }),
    ...(signature === null ? {} : { sigalgs: signature }),
  };
}
