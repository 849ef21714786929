import { join } from 'node:path';
import type { Issuer } from './issuer.ts';
import { dayMs, makeSerialNumber } from './issuer.ts';
import { ecdsaP256, exportPrivateKey, importPrivateKey } from './key-pairs.ts';
import * as x509 from './pem-pair.ts';
import { type PemPair, readPemPair, writePemPair } from './pem-pair.ts';

const validDays = 3650;
/** Younger certificates must never outlive the one that signed them. */
const renewDays = 1000;
/** Intermediates between an authority and a broker's certificate, at most. */
const pathLength = 2;

export interface AuthorityOptions {
  /** Folder of this testbed. */
  folder: string;
  testbedId: string;
  nowMs: number;
  /** Brokers and clients have one each, so that a broker which knows the clients' does not send it along. */
  signsFor: 'brokers' | 'clients';
}

/** An authority of a testbed (ECDSA P-256), made on first use and replaced well before it ends. */
export async function openAuthority(options: AuthorityOptions): Promise<Issuer> {
  const name = options.signsFor === 'brokers' ? 'authority.pem' : 'client-authority.pem';
  const path = join(options.folder, name);
  const kept = await readPemPair(path);
  const usable = kept && (await parseAuthority(kept));
  if (usable && usable.certificate.notAfter.getTime() - options.nowMs > renewDays * dayMs) return usable;
  const made = await makeAuthority(options);
  const authority = await parseAuthority(await writePemPair(path, made));
  if (authority === null) throw new Error('The authority that was just made cannot be read');
  return authority;
}

async function makeAuthority({ testbedId, nowMs, signsFor }: AuthorityOptions): Promise<PemPair> {
  const keys = await crypto.subtle.generateKey(ecdsaP256, true, ['sign', 'verify']);
  const whose = signsFor === 'brokers' ? '' : 'client ';
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: makeSerialNumber(),
    name: `CN=mqttlab ${whose}authority of ${testbedId},O=mqttlab`,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + validDays * dayMs),
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

/** null for what is no authority, or one of before there were intermediates. */
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
