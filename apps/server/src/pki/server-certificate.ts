import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { StartError } from '../base/errors.ts';
import { openAuthority } from './authority.ts';
import { carriesNames, leafExtensions } from './certificates.ts';
import { keepCertificate } from './issuer.ts';
import * as x509 from './pem-pair.ts';

/** What the server shows on HTTPS. */
export interface ServerCertificate {
  /** PEM, its own first. */
  chain: string;
  key: string;
  /** What agents hold it to: its authority, or itself where somebody else made it. PEM. */
  pinned: string;
  /** SHA-256 of its own, as browsers show it. */
  fingerprint: string;
  /** Of an authority of ours, for whoever imports it. */
  authority: { path: string; fingerprint: string } | null;
}

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256;

/** Throws StartError where the files cannot be read, or are no pair. */
export async function readServerCertificate(files: {
  certificate: string;
  key: string;
}): Promise<ServerCertificate> {
  const read = (path: string, name: string): Promise<string> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new StartError(`${name}: ${path} cannot be read (${error.code}).`, `Set ${name} to a PEM file.`);
    });
  const chain = await read(files.certificate, 'MQTTLAB_TLS_CERTIFICATE');
  const key = await read(files.key, 'MQTTLAB_TLS_KEY');
  try {
    createSecureContext({ cert: chain, key });
    const pinned = new X509Certificate(chain).toString();
    return { chain, key, pinned, fingerprint: fingerprintOf(chain), authority: null };
  } catch (error) {
    throw new StartError(
      `${files.certificate} and ${files.key} are no certificate with its key: ${(error as Error).message}.`,
      'Set MQTTLAB_TLS_CERTIFICATE and MQTTLAB_TLS_KEY to PEM files that belong together.',
    );
  }
}

/** From an authority of this server alone, kept in the folder; made anew where it ends soon, or the names are others. */
export async function makeServerCertificate(options: {
  folder: string;
  /** Besides those of this machine. */
  names: readonly string[];
  nowMs: number;
}): Promise<ServerCertificate> {
  const { folder, nowMs } = options;
  const own = hostname().toLowerCase();
  const place = { folder, nowMs, testbedId: own.replace(/[^a-z0-9.-]/g, '-') };
  const authority = await openAuthority({ ...place, signsFor: 'brokers' });
  const names = [...new Set(['localhost', own, `${own}.local`, ...options.names, ...ownAddresses()])].sort();
  const pair = await keepCertificate({
    path: join(folder, 'server.pem'),
    issuer: authority,
    kind: 'ECDSA P-256',
    commonName: 'mqttlab server',
    nowMs,
    validDays: 365,
    renewDays: 30,
    extensions: [
      ...leafExtensions('ECDSA P-256', x509.ExtendedKeyUsage.serverAuth),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
    suits: (certificate) => carriesNames(certificate, names),
  });
  const { certificatePem } = authority;
  return {
    chain: pair.certificate + certificatePem,
    key: pair.privateKey,
    pinned: certificatePem,
    fingerprint: fingerprintOf(pair.certificate),
    authority: { path: join(folder, 'authority.pem'), fingerprint: fingerprintOf(certificatePem) },
  };
}

/** Those that mean the same on every interface. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const lasting = all.filter(({ family, scopeid }) => family === 'IPv4' || !scopeid);
  return ['127.0.0.1', '::1', ...lasting.map(({ address }) => address)];
}
