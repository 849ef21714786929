import { isIP } from 'node:net';
import { join } from 'node:path';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';
import {
  type CertificateOrder,
  dayMs,
  ecdsaP256,
  exportPrivateKey,
  type Issuer,
  importPrivateKey,
  keepCertificate,
  makeSerialNumber,
  type PemPair,
  readPemPair,
  writePemPair,
  x509,
} from './issuer.ts';

/**
 * DNS name in every broker certificate. Clients verify this name regardless of the address that they connect
 * to.
 */
export const brokerServerName = 'mqttlab-broker';

const validDays = 365;
const renewDays = 30;
/**
 * Longer than any certificate that intermediates sign, shorter than the remaining validity of the authority.
 */
const intermediateDays = { validDays: 900, renewDays: 400 };

interface IssuedCertificate {
  /** PEM: the broker's certificate, then the intermediates. The certificate of the authority is not sent. */
  certificateChain: string;
  privateKey: string;
  /** PEM of the authority, for the other end. */
  authority: string;
  /** Unix ms. */
  expiresAt: number;
}

export interface CertificateRequest {
  testbedId: string;
  kind: CertificateKind;
  /**
   * Number of certificates in the chain, 1 to 3: all except the first are intermediates, of the same kind.
   */
  chainLength: number;
  /** IP addresses of the broker's device; host names are ignored. */
  addresses: readonly string[];
}

export interface Certificates {
  /** Issues certificates of brokers. Rejects with the system's error if the folder cannot be written. */
  forBroker(request: CertificateRequest): Promise<IssuedCertificate>;
  /** Issues certificates of clients for mutual TLS, from a separate authority. */
  forClients(request: Pick<CertificateRequest, 'testbedId' | 'kind'>): Promise<IssuedCertificate>;
}

interface Place {
  /** Folder of the testbed. */
  folder: string;
  testbedId: string;
  nowMs: number;
}

/** Stores certificates under `<folder>/<testbed>/` and renews them a month before they expire. */
export function makeCertificates(options: { folder: string; nowMs: () => number }): Certificates {
  const ready = new Map<string, IssuedCertificate>();
  let turn: Promise<unknown> = Promise.resolve();
  const find = async (key: string, issue: () => Promise<IssuedCertificate>): Promise<IssuedCertificate> => {
    const known = ready.get(key);
    if (known && known.expiresAt - options.nowMs() > renewDays * dayMs) return known;
    const found = await issue();
    ready.set(key, found);
    return found;
  };
  // Issues certificates one after the other, because two simultaneous requests must not create two
  // authorities.
  const inTurn = (key: string, issue: () => Promise<IssuedCertificate>): Promise<IssuedCertificate> => {
    const mine = turn.then(() => find(key, issue));
    turn = mine.catch(() => null);
    return mine;
  };
  const placeOf = (testbedId: string): Place => {
    if (!/^[a-z0-9][a-z0-9-]{0,79}$/.test(testbedId)) throw new Error(`"${testbedId}" is not a testbed id`);
    return { folder: join(options.folder, testbedId), testbedId, nowMs: options.nowMs() };
  };
  return {
    forBroker: (request) =>
      inTurn(
        JSON.stringify([request.testbedId, request.kind, request.chainLength, wantedAddresses(request)]),
        () => findBrokerCertificate(request, placeOf(request.testbedId)),
      ),
    forClients: (request) =>
      inTurn(JSON.stringify([request.testbedId, request.kind]), () =>
        findClientCertificate(request.kind, placeOf(request.testbedId)),
      ),
  };
}

async function findBrokerCertificate(request: CertificateRequest, place: Place): Promise<IssuedCertificate> {
  const { kind, chainLength } = request;
  const authority = await openAuthority({ ...place, signsFor: 'brokers' });
  const intermediates: Issuer[] = [];
  for (let depth = 1; depth < chainLength; depth += 1) {
    const issuer = intermediates.at(-1) ?? authority;
    intermediates.push(await findIntermediate({ kind, depth, issuer }, place));
  }
  const addresses = wantedAddresses(request);
  const chain = chainLength === 1 ? '' : `-chain-${chainLength}`;
  const pair = await keepCertificate({
    ...leafOrder(kind, place),
    path: join(place.folder, `broker-${fileNameOf(kind)}${chain}.pem`),
    issuer: intermediates.at(-1) ?? authority,
    commonName: brokerServerName,
    extensions: [
      ...leafExtensions(kind, x509.ExtendedKeyUsage.serverAuth),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: brokerServerName },
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
    suits: (certificate) => carriesNames(certificate, [brokerServerName, ...addresses]),
  });
  const above = intermediates.toReversed().map(({ certificatePem }) => certificatePem);
  return {
    certificateChain: [pair.certificate, ...above].join(''),
    privateKey: pair.privateKey,
    authority: authority.certificatePem,
    expiresAt: expiryOf(pair.certificate),
  };
}

async function findClientCertificate(kind: CertificateKind, place: Place): Promise<IssuedCertificate> {
  const authority = await openAuthority({ ...place, signsFor: 'clients' });
  const pair = await keepCertificate({
    ...leafOrder(kind, place),
    path: join(place.folder, `client-${fileNameOf(kind)}.pem`),
    issuer: authority,
    commonName: 'mqttlab-client',
    extensions: leafExtensions(kind, x509.ExtendedKeyUsage.clientAuth),
  });
  return {
    certificateChain: pair.certificate,
    privateKey: pair.privateKey,
    authority: authority.certificatePem,
    expiresAt: expiryOf(pair.certificate),
  };
}

async function findIntermediate(
  { kind, depth, issuer }: { kind: CertificateKind; depth: number; issuer: Issuer },
  { folder, nowMs }: Place,
): Promise<Issuer> {
  const pair = await keepCertificate({
    path: join(folder, `intermediate-${fileNameOf(kind)}-${depth}.pem`),
    kind,
    issuer,
    nowMs,
    ...intermediateDays,
    commonName: `mqttlab intermediate ${depth} ${kind}`,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    kind,
    certificatePem: pair.certificate,
    certificate: new x509.X509Certificate(pair.certificate),
    privateKey: await importPrivateKey(kind, pair.privateKey),
  };
}

function leafOrder(
  kind: CertificateKind,
  { nowMs }: Place,
): Pick<CertificateOrder, 'kind' | 'nowMs' | 'validDays' | 'renewDays'> {
  return { kind, nowMs, validDays, renewDays };
}

export function leafExtensions(kind: CertificateKind, purpose: x509.ExtendedKeyUsage): x509.Extension[] {
  const signs = x509.KeyUsageFlags.digitalSignature;
  // In static RSA key exchange, TLS 1.2 encrypts to the certificate's key (RFC 5246 section 7.4.2).
  const usage = kind.startsWith('RSA') ? signs | x509.KeyUsageFlags.keyEncipherment : signs;
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(usage, true),
    new x509.ExtendedKeyUsageExtension([purpose]),
  ];
}

export function carriesNames(certificate: x509.X509Certificate, wanted: readonly string[]): boolean {
  const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
  const carried = new Set(names.map((name) => name.value));
  return wanted.every((name) => carried.has(name));
}

function expiryOf(pem: string): number {
  return new x509.X509Certificate(pem).notAfter.getTime();
}

function fileNameOf(kind: CertificateKind): string {
  return kind.toLowerCase().replaceAll(' ', '-');
}

function wantedAddresses(request: Pick<CertificateRequest, 'addresses'>): string[] {
  return [...new Set(request.addresses)]
    .filter((address) => isIP(address) === 4 || isIP(address) === 6)
    .sort();
}

const authorityValidDays = 3650;
/**
 * Number of days before its expiry at which an authority is replaced, so that no certificate outlives its
 * issuer.
 */
const authorityRenewDays = 1000;
/** Maximum number of intermediates between an authority and a broker's certificate. */
const pathLength = 2;

interface AuthorityOptions {
  /** Folder of this testbed. */
  folder: string;
  testbedId: string;
  nowMs: number;
  /**
   * Brokers and clients have separate authorities, so that a broker with the clients' authority does not send
   * that authority as well.
   */
  signsFor: 'brokers' | 'clients';
}

/**
 * Opens a testbed's authority (ECDSA P-256), which is created on first use and replaced well before it
 * expires.
 */
async function openAuthority(options: AuthorityOptions): Promise<Issuer> {
  const name = options.signsFor === 'brokers' ? 'authority.pem' : 'client-authority.pem';
  const path = join(options.folder, name);
  const kept = await readPemPair(path);
  const usable = kept && (await parseAuthority(kept));
  if (usable && usable.certificate.notAfter.getTime() - options.nowMs > authorityRenewDays * dayMs)
    return usable;
  const made = await makeAuthority(options);
  const authority = await parseAuthority(await writePemPair(path, made));
  if (authority === null) throw new Error('The new CA certificate cannot be read');
  return authority;
}

async function makeAuthority({ testbedId, nowMs, signsFor }: AuthorityOptions): Promise<PemPair> {
  const keys = await crypto.subtle.generateKey(ecdsaP256, true, ['sign', 'verify']);
  const whose = signsFor === 'brokers' ? '' : 'client ';
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: makeSerialNumber(),
    name: `CN=mqttlab ${whose}authority of ${testbedId},O=mqttlab`,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + authorityValidDays * dayMs),
    signingAlgorithm: ecdsaP256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, pathLength, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await exportPrivateKey(keys.privateKey) };
}

/**
 * Parses an authority. Resolves with null for an invalid authority, or one from before intermediates existed.
 */
async function parseAuthority(pair: PemPair): Promise<Issuer | null> {
  try {
    const certificate = new x509.X509Certificate(pair.certificate);
    const constraints = certificate.getExtension(x509.BasicConstraintsExtension);
    if (constraints?.pathLength !== pathLength) return null;
    const privateKey = await importPrivateKey('ECDSA P-256', pair.privateKey);
    return { kind: 'ECDSA P-256', certificatePem: pair.certificate, certificate, privateKey };
  } catch {
    return null;
  }
}
