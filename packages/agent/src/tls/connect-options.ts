import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from 'node:tls';
import type { CertificateKind, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { cipherStringOf, groupListOf } from './suites-and-groups.ts';

export type TlsSpec = Pick<TrialSpec, 'security' | 'cipherSuite' | 'group' | 'certificate'>;

interface TlsPeer {
  /** PEM of the only trusted CA certificate. */
  authority: string;
  /** Name that the certificate must contain. */
  serverName: string;
  /** PEM texts of the client certificate and its key, for mutual TLS. */
  certificate?: { certificateChain: string; privateKey: string } | null;
}

/**
 * Returns options for `tls.connect` that leave nothing to negotiate: one version, one suite, one group, one
 * signature scheme, without a session to resume (`SessionStore` adds the session). The context is created
 * here once, so that no handshake includes it. Throws if OpenSSL does not support the suite or the group.
 */
export function makeTlsOptions(spec: TlsSpec, peer: TlsPeer): ConnectionOptions {
  return {
    secureContext: createSecureContext(makeContextOptions(spec, peer)),
    // RFC 6066 section 3 does not allow an address as the server name; the certificate is still checked
    // against the address.
    ...(isIP(peer.serverName) === 0 ? { servername: peer.serverName } : { host: peer.serverName }),
    rejectUnauthorized: true,
  };
}

/** Returns the protocol version as named by Node. */
export function protocolOf(security: TrialSpec['security']): 'TLSv1.2' | 'TLSv1.3' | null {
  if (security === 'plain') return null;
  return security === 'TLS 1.3' ? 'TLSv1.3' : 'TLSv1.2';
}

/**
 * Returns OpenSSL's configuration for a program with fewer options than OpenSSL (SSL_CONF_cmd(3)): one version, one suite
 * and one group. A program that offers nothing else cannot negotiate anything else.
 */
export function makeOpensslConfiguration(
  { security }: Pick<TrialSpec, 'security'>,
  groups: string | null,
  suites: readonly string[],
): string {
  const version = protocolOf(security);
  const lines = [
    'openssl_conf = mqttlab',
    '[mqttlab]',
    'ssl_conf = ssl',
    '[ssl]',
    'system_default = tls',
    '[tls]',
    ...suites,
    ...(groups === null ? [] : [`Groups = ${groups}`]),
    ...(version === null ? [] : [`MinProtocol = ${version}`, `MaxProtocol = ${version}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns options for the TLS context that `makeTlsOptions` creates. */
export function makeContextOptions(spec: TlsSpec, { authority, certificate }: TlsPeer): SecureContextOptions {
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

/**
 * The only signature scheme offered for each kind of certificate (RFC 8446 section 4.2.3). Node does not
 * report which scheme a server chose. If exactly one scheme is offered, the choice is certain and the same
 * with every broker.
 */
const schemes: Readonly<Record<CertificateKind, string>> = {
  'ECDSA P-256': 'ecdsa_secp256r1_sha256',
  'ECDSA P-384': 'ecdsa_secp384r1_sha384',
  Ed25519: 'ed25519',
  'RSA 2048': 'rsa_pss_rsae_sha256',
  'RSA 3072': 'rsa_pss_rsae_sha256',
  'RSA 4096': 'rsa_pss_rsae_sha256',
};

/**
 * Returns the only scheme to offer. Returns null if the trial does not specify the kind of certificate: all
 * schemes are then offered and the choice is unknown.
 */
export function pinnedSignature(certificate: CertificateKind | null): string | null {
  return certificate === null ? null : schemes[certificate];
}

/**
 * Returns false for suites with RSA key exchange, which sign nothing in the handshake (RFC 5246 section
 * 7.4.3).
 */
export function signsHandshake(cipherSuite: string): boolean {
  return cipherSuite.startsWith('TLS_') || /^(ECDHE|DHE)-/.test(cipherSuite);
}
