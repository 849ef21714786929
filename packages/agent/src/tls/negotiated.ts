import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Negotiated, RoleFailure } from '@mqttlab/shared/domain/role-result';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { makeLoadFailure } from '../load/failures.ts';
import { protocolOf, type TlsSpec } from './connect-options.ts';
import { groupOf, isSameGroup } from './groups.ts';
import { pinnedSignature, signsHandshake } from './signature-schemes.ts';

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
};

/** What a handshake that is over agreed on, as OpenSSL holds it. */
export function readNegotiatedTls(socket: TLSSocket, spec: TlsSpec): NegotiatedTls {
  const suite = socket.getCipher().name;
  const leaf = socket.getPeerX509Certificate();
  return {
    protocol: socket.getProtocol(),
    cipherSuite: suite,
    group: groupOf(socket.getEphemeralKeyInfo()),
    certificate: leaf === undefined ? null : certificateKindOf(leaf),
    certificateSubject: leaf?.subject.replaceAll('\n', ', ') ?? null,
    certificateChainLength: chainLength(leaf),
    // Exactly one scheme was offered, so a handshake that was signed was signed with that one.
    signature: signsHandshake(suite) ? pinnedSignature(spec.certificate) : null,
    resumed: socket.isSessionReused(),
  };
}

/** The first thing that is not as the Trial asks, or null. */
export function findMismatch(spec: TrialSpec, found: NegotiatedTls): RoleFailure | null {
  const asked: [string, string | null, string | null][] = [
    ['protocol', protocolOf(spec.security), found.protocol],
    ['cipher suite', spec.cipherSuite, found.cipherSuite],
    ['certificate', spec.certificate, found.certificate],
  ];
  for (const [what, wanted, got] of asked) {
    if (wanted !== null && wanted !== got) return mismatch(what, wanted, got);
  }
  if (spec.group !== null && (found.group === null || !isSameGroup(spec.group, found.group))) {
    return mismatch('group', spec.group, found.group);
  }
  return found.resumed === true ? mismatch('session', 'a full handshake', 'a resumed one') : null;
}

function mismatch(what: string, wanted: string, got: string | null): RoleFailure {
  return makeLoadFailure(
    'negotiation-mismatch',
    `The ${what} should be ${wanted}, but the connection has ${got ?? 'none'}.`,
  );
}

/** For example "ECDSA P-256", "RSA 2048", "Ed25519". */
function certificateKindOf(certificate: X509Certificate): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type === 'rsa') return `RSA ${details?.modulusLength}`;
  const curves: Readonly<Record<string, string>> = {
    prime256v1: 'P-256',
    secp384r1: 'P-384',
    secp521r1: 'P-521',
  };
  if (type === 'ec') return `ECDSA ${curves[details?.namedCurve ?? ''] ?? details?.namedCurve}`;
  return type === 'ed25519' ? 'Ed25519' : (type ?? 'unknown');
}

/** Certificates that the server sent. */
function chainLength(leaf: X509Certificate | undefined): number {
  let length = 0;
  for (let certificate = leaf; certificate !== undefined; certificate = certificate.issuerCertificate)
    length += 1;
  return length;
}
