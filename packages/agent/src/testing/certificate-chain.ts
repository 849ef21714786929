import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { keyArguments, serverName, type TestCertificates } from './certificates.ts';

export interface TestChain extends TestCertificates {
  /** Client certificates that a broker requests for mutual TLS. */
  clientAuthority: string;
  client: { certificateChain: string; privateKey: string };
}

/**
 * Creates a broker's chain of that length under an authority that is not sent, and a client's certificate under a
 * separate one, with the openssl command. All of one kind share one key, because RSA keys take long to create.
 */
export function makeTestChain(kind: CertificateKind, length: number): TestChain {
  const folder = mkdtempSync(join(tmpdir(), 'agent-chain-'));
  const run = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const text = (name: string) => readFileSync(join(folder, name), 'utf8');
  const sign = (name: string, issuer: string, extension: string) => {
    writeFileSync(join(folder, 'extensions'), extension);
    run('req', '-new', '-key', 'all.key', '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    const signed = [
      '-CA',
      `${issuer}.pem`,
      '-CAkey',
      issuer === 'root' || issuer === 'clients' ? 'root.key' : 'all.key',
    ];
    run('x509', '-req', '-in', `${name}.csr`, ...signed, '-extfile', 'extensions', '-out', `${name}.pem`);
  };
  try {
    run('genpkey', ...keyArguments['ECDSA P-256'], '-out', 'root.key');
    run('genpkey', ...keyArguments[kind], '-out', 'all.key');
    for (const name of ['root', 'clients']) {
      run('req', '-x509', '-key', 'root.key', '-subj', `/CN=${name}`, '-out', `${name}.pem`);
    }
    const intermediates = Array.from({ length: length - 1 }, (_, index) => `intermediate${index}`);
    for (const [index, name] of intermediates.entries()) {
      sign(name, intermediates[index - 1] ?? 'root', 'basicConstraints=critical,CA:true\n');
    }
    sign(serverName, intermediates.at(-1) ?? 'root', `subjectAltName=DNS:${serverName}\n`);
    sign('client', 'clients', 'extendedKeyUsage=clientAuth\n');
    const privateKey = text('all.key');
    return {
      authority: text('root.pem'),
      serverName,
      certificateChain: [serverName, ...intermediates.toReversed()]
        .map((name) => text(`${name}.pem`))
        .join(''),
      privateKey,
      clientAuthority: text('clients.pem'),
      client: { certificateChain: text('client.pem'), privateKey },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
