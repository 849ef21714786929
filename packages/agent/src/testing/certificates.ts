import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';

export interface TestCertificates {
  authority: string;
  /** The name in the certificate. */
  serverName: string;
  certificateChain: string;
  privateKey: string;
}

export const keyArguments: Record<CertificateKind, string[]> = {
  'ECDSA P-256': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'ECDSA P-384': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  Ed25519: ['-algorithm', 'ED25519'],
  'RSA 2048': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'RSA 3072': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072'],
  'RSA 4096': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:4096'],
};

export const serverName = 'broker.test';

/** Creates an authority and a broker's certificate signed by it, with the openssl command. */
export function makeTestCertificates(kind: CertificateKind): TestCertificates {
  const folder = mkdtempSync(join(tmpdir(), 'agent-certificates-'));
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  try {
    for (const name of ['authority', 'broker']) run('genpkey', ...keyArguments[kind], '-out', `${name}.key`);
    run('req', '-x509', '-key', 'authority.key', '-subj', '/CN=test authority', '-out', 'authority.pem');
    run('req', '-new', '-key', 'broker.key', '-subj', `/CN=${serverName}`, '-out', 'broker.csr');
    writeFileSync(join(folder, 'extensions'), `subjectAltName=DNS:${serverName},IP:127.0.0.1\n`);
    const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-extfile', 'extensions'];
    run('x509', '-req', '-in', 'broker.csr', ...signed, '-out', 'broker.pem');
    const text = (name: string) => readFileSync(join(folder, name), 'utf8');
    return {
      authority: text('authority.pem'),
      serverName,
      certificateChain: text('broker.pem') + text('authority.pem'),
      privateKey: text('broker.key'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
