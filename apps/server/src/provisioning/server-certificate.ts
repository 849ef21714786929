import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { startFailure } from '../base/errors.ts';
import { carriesNames, leafExtensions } from './certificates.ts';
import { keepCertificate, x509 } from './issuer.ts';
import {
  type AuthorityOptions,
  authorityPaths,
  openServerAuthority,
  writeNextAuthority,
} from './server-authority.ts';

/** The server's certificate for HTTPS. */
export interface ServerCertificate {
  /** PEM of the chain, beginning with the server's own certificate. */
  chain: string;
  key: string;
  /**
   * The certificate that agents pin, in PEM: the CA certificate, or the server certificate if it was loaded
   * from files.
   */
  pinned: string;
  /** SHA-256 fingerprint of the certificate, as browsers show it. */
  fingerprint: string;
  /**
   * File and fingerprint of this server's own CA certificate, for import; null for a certificate loaded from
   * files.
   */
  authority: { path: string; fingerprint: string } | null;
  /** Messages for the operator: names that are not covered, and reasons to replace the authority. */
  concerns: string[];
}

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

/**
 * Reads a certificate from files. Rejects with a start failure if the files cannot be read or do not form a
 * pair.
 */
export async function readServerCertificate(files: {
  certificate: string;
  key: string;
}): Promise<ServerCertificate> {
  const read = (path: string, name: string): Promise<string> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw startFailure(`${name}: ${path} cannot be read (${error.code}).`, `Set ${name} to a PEM file.`);
    });
  const chain = await read(files.certificate, 'MQTTLAB_TLS_CERTIFICATE');
  const key = await read(files.key, 'MQTTLAB_TLS_KEY');
  try {
    createSecureContext({ cert: chain, key });
    const pinned = new X509Certificate(chain).toString();
    return { chain, key, pinned, fingerprint: fingerprintOf(chain), authority: null, concerns: [] };
  } catch (error) {
    throw startFailure(
      `${files.certificate} and ${files.key} are not a certificate and its key: ${(error as Error).message}.`,
      'Set MQTTLAB_TLS_CERTIFICATE and MQTTLAB_TLS_KEY to the PEM files of a certificate and its key.',
    );
  }
}

interface ServerNames {
  /** All names for the certificate. */
  all: string[];
  /** Names that the operator configured. */
  configured: readonly string[];
}

interface OwnCertificateOptions {
  /** Path of `tls` in the data folder. */
  folder: string;
  /** Configured names and addresses, in addition to the names and addresses of this machine. */
  names: readonly string[];
  nowMs: number;
}

/**
 * Returns a certificate signed by this server's own authority, stored in the folder. It is reissued if it
 * expires soon or the names differ. Names that the authority cannot sign for are omitted and reported.
 */
export async function makeServerCertificate(options: OwnCertificateOptions): Promise<ServerCertificate> {
  const { folder, nowMs } = options;
  const names = namesOfServer(options.names);
  const authority = await openServerAuthority(authorityOptionsOf(options));
  const included = names.all.filter((name) => authority.permits(name));
  const path = join(folder, 'server.key');
  const pair = await keepCertificate({
    path,
    issuer: authority.issuer,
    kind: 'ECDSA P-256',
    commonName: 'mqttlab server',
    nowMs,
    validDays: 365,
    renewDays: 30,
    extensions: [
      ...leafExtensions('ECDSA P-256', x509.ExtendedKeyUsage.serverAuth),
      new x509.SubjectAlternativeNameExtension(
        included.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
    suits: (certificate) => carriesNames(certificate, included),
  });
  const { certificatePem } = authority.issuer;
  return {
    chain: pair.certificate + certificatePem,
    key: pair.privateKey,
    pinned: certificatePem,
    fingerprint: fingerprintOf(pair.certificate),
    authority: { path: authorityPaths(folder).certificate, fingerprint: fingerprintOf(certificatePem) },
    concerns: [...authority.concerns, ...concernsOf(names, included)],
  };
}

/**
 * Creates the authority that will replace the active authority, for the current names. Resolves with its
 * certificate.
 */
export function stageAuthority(options: OwnCertificateOptions): Promise<string> {
  return writeNextAuthority(authorityOptionsOf(options));
}

function authorityOptionsOf({ folder, names, nowMs }: OwnCertificateOptions): AuthorityOptions {
  const hostName = hostname().replace(/[^A-Za-z0-9.-]/g, '-');
  return { folder, hostName, names: namesOfServer(names).all, nowMs };
}

function namesOfServer(given: readonly string[]): ServerNames {
  const own = hostname().toLowerCase();
  const configured = given.map((name) => name.toLowerCase());
  const all = ['localhost', own, `${own}.local`, ...configured, ...ownAddresses()];
  return { all: [...new Set(all)].sort(), configured };
}

function concernsOf({ all, configured }: ServerNames, included: readonly string[]): string[] {
  const leftOut = all.filter((name) => !included.includes(name));
  const refused = leftOut.filter((name) => configured.includes(name));
  const changed = leftOut.filter((name) => !configured.includes(name));
  return [
    ...(refused.length > 0
      ? [
          `The certificate of this server does not cover ${refused.join(', ')}: its authority can only sign for the names that were configured when the authority was created. Run "mqttlab tls rotate" to create an authority for the current names.`,
        ]
      : []),
    ...(changed.length > 0
      ? [
          `The certificate of this server does not cover ${changed.join(', ')}, which this machine did not have when its authority was created. Run "mqttlab tls rotate" if clients use these addresses.`,
        ]
      : []),
  ];
}

/** Returns the addresses of this machine without a zone, which are the same on every interface. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const lasting = all.filter(({ family, scopeid }) => family === 'IPv4' || !scopeid);
  return ['127.0.0.1', '::1', ...lasting.map(({ address }) => address)];
}
