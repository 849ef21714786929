import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Negotiated, RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { makeLoadFailure } from '../processes/failures.ts';
import { pinnedSignature, protocolOf, signsHandshake, type TlsSpec } from './connect-options.ts';
import { canonicalGroup, groupOf, isSameGroup } from './suites-and-groups.ts';

export type NegotiatedTls = Pick<
  Negotiated,
  | 'protocol'
  | 'cipherSuite'
  | 'group'
  | 'certificate'
  | 'certificateSubject'
  | 'certificateChainLength'
  | 'signature'
  | 'resumed'
  | 'clientCertificate'
>;

export const plainText: NegotiatedTls = {
  protocol: null,
  cipherSuite: null,
  group: null,
  certificate: null,
  certificateSubject: null,
  certificateChainLength: null,
  signature: null,
  resumed: null,
  clientCertificate: null,
};

/**
 * Returns the parameters of a completed handshake, as OpenSSL reports them. A resumed handshake has no
 * certificates and no signature. In TLS 1.2, it also has no key agreement (RFC 5077 section 3.1).
 */
export function readNegotiatedTls(socket: TLSSocket, spec: TlsSpec): NegotiatedTls {
  const { name: cipherSuite } = socket.getCipher();
  const protocol = socket.getProtocol();
  const resumed = socket.isSessionReused();
  const common = { protocol, cipherSuite, resumed };
  if (resumed) {
    const group = protocol === 'TLSv1.3' ? groupOf(socket.getEphemeralKeyInfo()) : null;
    return { ...plainText, ...common, group };
  }
  const leaf = socket.getPeerX509Certificate();
  return {
    ...common,
    group: groupOf(socket.getEphemeralKeyInfo()),
    certificate: leaf === undefined ? null : certificateKindOf(leaf),
    certificateSubject: leaf?.subject.replaceAll('\n', ', ') ?? null,
    certificateChainLength: chainOf(leaf).length,
    // Exactly one scheme was offered, so every signed handshake used it.
    signature: signsHandshake(cipherSuite) ? pinnedSignature(spec.certificate) : null,
    clientCertificate: readOwnCertificate(socket),
  };
}

/**
 * Returns the kind of certificate that this client presented. Only a server that requests one sends signature
 * schemes (RFC 8446 section 4.3.2), so without shared schemes there was no request and no certificate.
 */
function readOwnCertificate(socket: TLSSocket): string | null {
  const own = socket.getX509Certificate();
  return own === undefined || socket.getSharedSigalgs().length === 0 ? null : certificateKindOf(own);
}

/** Returns the first difference from the trial, or null. */
export function findMismatch(spec: TrialSpec, found: NegotiatedTls): RoleFailure | null {
  const resumes = spec.session === 'resumed';
  if (found.resumed !== null && found.resumed !== resumes) {
    const words = { full: 'a full handshake', resumed: 'a resumed one' };
    return mismatch(
      'session',
      resumes ? words.resumed : words.full,
      found.resumed ? words.resumed : words.full,
    );
  }
  for (const [what, wanted, got] of [
    ...askedAlways(spec, found),
    ...(resumes ? [] : askedInFull(spec, found)),
  ]) {
    if (wanted !== null && wanted !== got) return mismatch(what, wanted, got);
  }
  const agreesOnKey = !resumes || spec.security === 'TLS 1.3';
  if (agreesOnKey && spec.group !== null && (found.group === null || !isSameGroup(spec.group, found.group))) {
    return mismatch('group', spec.group, found.group);
  }
  return null;
}

type Asked = [what: string, wanted: string | null, got: string | null];

function askedAlways(spec: TrialSpec, found: NegotiatedTls): Asked[] {
  return [
    ['protocol', protocolOf(spec.security), found.protocol],
    ['cipher suite', spec.cipherSuite, found.cipherSuite],
  ];
}

/** Returns the parameters that are only visible in a full handshake. */
function askedInFull(spec: TrialSpec, found: NegotiatedTls): Asked[] {
  const client = spec.clientCertificate === 'mutual TLS' ? spec.certificate : spec.clientCertificate;
  return [
    ['certificate', spec.certificate, found.certificate],
    ['length of the certificate chain', text(spec.chainLength), text(found.certificateChainLength)],
    ['client certificate', client, found.clientCertificate ?? 'none'],
  ];
}

function text(count: number | null): string | null {
  return count === null ? null : String(count);
}

function mismatch(what: string, wanted: string, got: string | null): RoleFailure {
  return makeLoadFailure(
    'negotiation-mismatch',
    `The ${what} should be ${wanted}, but the connection has ${got ?? 'none'}.`,
  );
}

/** Returns for example "ECDSA P-256", "RSA 2048", "Ed25519". */
function certificateKindOf(certificate: X509Certificate): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type === 'rsa') return `RSA ${details?.modulusLength}`;
  if (type === 'ec') return `ECDSA ${canonicalGroup(details?.namedCurve ?? '')}`;
  return type === 'ed25519' ? 'Ed25519' : (type ?? 'unknown');
}

/** Returns the certificates that the server sent, its own certificate first. */
function chainOf(leaf: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let one = leaf; one !== undefined; one = one.issuerCertificate) chain.push(one);
  return chain;
}

/**
 * Returns the DER size in bytes of the broker's certificates; null without TLS, and for a resumed handshake
 * without certificates.
 */
export function certificateBytesOf(socket: TLSSocket | null): number | null {
  if (socket === null || socket.isSessionReused()) return null;
  return chainOf(socket.getPeerX509Certificate()).reduce((sum, { raw }) => sum + raw.length, 0);
}
