import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CertificateKind } from '@mqttlab/shared/domain/trial-spec';
import {
  type Authority,
  dayMs,
  ecdsaP256,
  exportPrivateKey,
  makeSerialNumber,
  openAuthority,
} from './authority.ts';
import { type PemPair, readPemPair, writePemPair } from './pem-pair.ts';
import * as x509 from './x509.ts';

/** The DNS name every broker certificate carries; clients check it, whatever address they connect to. */
export const brokerServerName = 'mqttlab-broker';

const validDays = 365;
const renewDays = 30;

interface BrokerCertificate {
  /** PEM, the broker's own certificate; the authority is not sent along. */
  certificateChain: string;
  privateKey: string;
  /** PEM of the testbed's authority. */
  authority: string;
  /** Unix ms. */
  expiresAt: number;
}

export interface CertificateRequest {
  testbedId: string;
  kind: CertificateKind;
  /** IP addresses of the broker's device; others are left out. */
  addresses: readonly string[];
}

export interface Certificates {
  /** Throws the system's error when the folder cannot be written. */
  forBroker(request: CertificateRequest): Promise<BrokerCertificate>;
}

const keyAlgorithms = {
  'ECDSA P-256': ecdsaP256,
  'RSA 2048': {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  'ECDSA P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  Ed25519: { name: 'Ed25519' },
  'RSA 3072': {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 3072,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  'RSA 4096': {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 4096,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
} as const satisfies Record<CertificateKind, unknown>;

/** Server certificates under `<folder>/<testbed>/`, kept and renewed a month before they end. */
export function makeCertificates(options: { folder: string; nowMs: () => number }): Certificates {
  const ready = new Map<string, BrokerCertificate>();
  let turn: Promise<unknown> = Promise.resolve();
  const find = async (request: CertificateRequest): Promise<BrokerCertificate> => {
    const key = JSON.stringify([request.testbedId, request.kind, wantedAddresses(request)]);
    const known = ready.get(key);
    if (known && known.expiresAt - options.nowMs() > renewDays * dayMs) return known;
    const found = await findOrIssue(request, { folder: options.folder, nowMs: options.nowMs() });
    ready.set(key, found);
    return found;
  };
  return {
    // One after the other: two askers at once must not make two authorities.
    forBroker(request) {
      const mine = turn.then(() => find(request));
      turn = mine.catch(() => null);
      return mine;
    },
  };
}

async function findOrIssue(
  request: CertificateRequest,
  { folder, nowMs }: { folder: string; nowMs: number },
): Promise<BrokerCertificate> {
  if (!/^[a-z0-9][a-z0-9-]{0,79}$/.test(request.testbedId)) {
    throw new Error(`"${request.testbedId}" is no testbed id`);
  }
  const testbedFolder = join(folder, request.testbedId);
  const authority = await openAuthority({ folder: testbedFolder, testbedId: request.testbedId, nowMs });
  const path = join(testbedFolder, `broker-${request.kind.toLowerCase().replaceAll(' ', '-')}.pem`);
  const kept = await readPemPair(path);
  if (kept && (await isUsable({ pair: kept, authority, request, nowMs }))) return describe(kept, authority);
  return describe(await writePemPair(path, await issue({ authority, request, nowMs })), authority);
}

function describe(pair: PemPair, authority: Authority): BrokerCertificate {
  return {
    certificateChain: pair.certificate,
    privateKey: pair.privateKey,
    authority: authority.certificatePem,
    expiresAt: new x509.X509Certificate(pair.certificate).notAfter.getTime(),
  };
}

interface Candidate {
  pair: PemPair;
  authority: Authority;
  request: CertificateRequest;
  nowMs: number;
}

async function isUsable({ pair, authority, request, nowMs }: Candidate): Promise<boolean> {
  try {
    const certificate = new x509.X509Certificate(pair.certificate);
    const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
    const carried = new Set(names.map((name) => name.value));
    return (
      certificate.notAfter.getTime() - nowMs > renewDays * dayMs &&
      [brokerServerName, ...wantedAddresses(request)].every((name) => carried.has(name)) &&
      (await certificate.verify({ publicKey: authority.certificate.publicKey, date: new Date(nowMs) }))
    );
  } catch {
    return false;
  }
}

async function issue(options: Omit<Candidate, 'pair'>): Promise<PemPair> {
  const { authority, request, nowMs } = options;
  const keys = await makeKeyPair(request.kind);
  const usage = x509.KeyUsageFlags.digitalSignature;
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: makeSerialNumber(),
    subject: `CN=${brokerServerName},O=mqttlab`,
    issuer: authority.certificate.subject,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + validDays * dayMs),
    publicKey: keys.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm: ecdsaP256,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      // Static RSA key exchange of TLS 1.2 encrypts to the certificate's key (RFC 5246 section 7.4.2).
      new x509.KeyUsagesExtension(
        request.kind.startsWith('RSA') ? usage | x509.KeyUsageFlags.keyEncipherment : usage,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: brokerServerName },
        ...wantedAddresses(request).map((value) => ({ type: 'ip' as const, value })),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await exportPrivateKey(keys.privateKey) };
}

async function makeKeyPair(kind: CertificateKind): Promise<webcrypto.CryptoKeyPair> {
  const keys = await crypto.subtle.generateKey(keyAlgorithms[kind], true, ['sign', 'verify']);
  if ('privateKey' in keys) return keys;
  throw new Error(`${kind} has no key pair`);
}

function wantedAddresses(request: CertificateRequest): string[] {
  return [...new Set(request.addresses)]
    .filter((address) => isIP(address) === 4 || isIP(address) === 6)
    .sort();
}
