import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { type CertificateKind, certificateKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { brokerServerName, type CertificateRequest, makeCertificates } from './certificates.ts';
import { dayMs } from './issuer.ts';

const run = promisify(execFile);
const nowMs = () => Date.now();
const request = (overrides: Partial<CertificateRequest> = {}): CertificateRequest => ({
  testbedId: 'local',
  kind: 'ECDSA P-256',
  chainLength: 1,
  addresses: ['127.0.0.1', 'fd00::2', '192.0.2.2'],
  ...overrides,
});

/** Output of `openssl x509 -text` for each key. */
const keyWords: Readonly<Record<CertificateKind, string>> = {
  'ECDSA P-256': 'NIST CURVE: P-256',
  'ECDSA P-384': 'NIST CURVE: P-384',
  Ed25519: 'ED25519 Public-Key',
  'RSA 2048': 'Public-Key: (2048 bit)',
  'RSA 3072': 'Public-Key: (3072 bit)',
  'RSA 4096': 'Public-Key: (4096 bit)',
};

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mqttlab-pki-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('makeCertificates', () => {
  it.each(certificateKinds)(
    'issues a chain for %s that openssl verifies by name and address',
    async (kind) => {
      const issued = await makeCertificates({ folder, nowMs }).forBroker(request({ kind }));
      const authority = join(folder, 'ca.pem');
      const leaf = join(folder, 'leaf.pem');
      const key = join(folder, 'key.pem');
      await writeFile(authority, issued.authority);
      await writeFile(leaf, issued.certificateChain);
      await writeFile(key, issued.privateKey);
      const verify = ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', authority];
      await run('openssl', [...verify, '-verify_hostname', brokerServerName, leaf]);
      await run('openssl', [...verify, '-verify_ip', '192.0.2.2', leaf]);
      await run('openssl', [...verify, '-verify_ip', 'fd00::2', leaf]);
      await expect(run('openssl', [...verify, '-verify_ip', '192.0.2.9', leaf])).rejects.toThrow();
      const fromKey = await run('openssl', ['pkey', '-in', key, '-pubout']);
      const fromLeaf = await run('openssl', ['x509', '-in', leaf, '-noout', '-pubkey']);
      expect(fromLeaf.stdout).toBe(fromKey.stdout);
      const text = (await run('openssl', ['x509', '-in', leaf, '-noout', '-text'])).stdout;
      expect(text).toContain(keyWords[kind]);
    },
  );

  it.each(certificateKinds)('puts intermediates of %s between broker and authority', async (kind) => {
    const certificates = makeCertificates({ folder, nowMs });
    const issued = await certificates.forBroker(request({ kind, chainLength: 3 }));
    const blocks = issued.certificateChain.match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----\n/g) ?? [];
    expect(blocks).toHaveLength(3);
    await writeFile(join(folder, 'ca.pem'), issued.authority);
    for (const [index, block] of blocks.entries()) await writeFile(join(folder, `${index}.pem`), block);
    const trusted = ['-x509_strict', '-purpose', 'sslserver', '-CAfile', join(folder, 'ca.pem')];
    const untrusted = ['1.pem', '2.pem'].flatMap((name) => ['-untrusted', join(folder, name)]);
    await run('openssl', ['verify', ...trusted, ...untrusted, join(folder, '0.pem')]);
    await expect(run('openssl', ['verify', ...trusted, join(folder, '0.pem')])).rejects.toThrow();
    for (const index of [1, 2]) {
      const text = await run('openssl', ['x509', '-in', join(folder, `${index}.pem`), '-noout', '-text']);
      expect(text.stdout).toContain(keyWords[kind]);
      expect(text.stdout).toContain('CA:TRUE');
    }
    const again = await makeCertificates({ folder, nowMs }).forBroker(request({ kind, chainLength: 3 }));
    expect(again).toEqual(issued);
  });

  it('issues client certificates for client authentication only, under a separate authority', async () => {
    const certificates = makeCertificates({ folder, nowMs });
    const { authority: ofBrokers } = await certificates.forBroker(request());
    const issued = await certificates.forClients({ testbedId: 'local', kind: 'ECDSA P-384' });
    expect(issued.authority).not.toBe(ofBrokers);
    await writeFile(join(folder, 'ca.pem'), issued.authority);
    await writeFile(join(folder, 'client.pem'), issued.certificateChain);
    const verify = ['verify', '-x509_strict', '-CAfile', join(folder, 'ca.pem')];
    await run('openssl', [...verify, '-purpose', 'sslclient', join(folder, 'client.pem')]);
    await expect(
      run('openssl', [...verify, '-purpose', 'sslserver', join(folder, 'client.pem')]),
    ).rejects.toThrow();
    const again = await makeCertificates({ folder, nowMs }).forClients({
      testbedId: 'local',
      kind: 'ECDSA P-384',
    });
    expect(again).toEqual(issued);
  });

  it('issues certificates that a TLS server of Node can present and a client accepts by name', async () => {
    const issued = await makeCertificates({ folder, nowMs }).forBroker(request());
    const server = createServer({ cert: issued.certificateChain, key: issued.privateKey }, (socket) =>
      socket.end(),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const authorized = await new Promise((resolve, reject) => {
      const socket = connect(
        { host: '127.0.0.1', port, ca: issued.authority, servername: brokerServerName },
        () => resolve(socket.authorized),
      );
      socket.on('error', reject);
    });
    server.close();
    expect(authorized).toBe(true);
  });

  it('keeps keys readable by their owner only', async () => {
    await makeCertificates({ folder, nowMs }).forBroker(request());
    const names = await readdir(join(folder, 'local'));
    expect(names.sort()).toEqual(['authority.pem', 'broker-ecdsa-p-256.pem']);
    for (const name of names) expect((await stat(join(folder, 'local', name))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'local'))).mode & 0o777).toBe(0o700);
  });

  it('returns the same certificate after a restart, and to simultaneous callers', async () => {
    const certificates = makeCertificates({ folder, nowMs });
    const [first, second] = await Promise.all([
      certificates.forBroker(request()),
      certificates.forBroker(request()),
    ]);
    const later = await makeCertificates({ folder, nowMs }).forBroker(request());
    expect(second).toEqual(first);
    expect(later).toEqual(first);
  });

  it('reissues a certificate for an added address, under the same authority', async () => {
    const first = await makeCertificates({ folder, nowMs }).forBroker(request());
    const second = await makeCertificates({ folder, nowMs }).forBroker(
      request({ addresses: ['127.0.0.1', '198.51.100.7'] }),
    );
    expect(second.certificateChain).not.toBe(first.certificateChain);
    expect(second.authority).toBe(first.authority);
  });

  it('renews a month before the end, even in a running server', async () => {
    let clockMs = Date.now();
    const certificates = makeCertificates({ folder, nowMs: () => clockMs });
    const first = await certificates.forBroker(request());
    clockMs += 330 * dayMs;
    expect((await certificates.forBroker(request())).certificateChain).toBe(first.certificateChain);
    clockMs += 10 * dayMs;
    const renewed = await certificates.forBroker(request());
    expect(renewed.certificateChain).not.toBe(first.certificateChain);
    expect(renewed.expiresAt).toBeGreaterThan(first.expiresAt);
  });

  it('replaces a file that is damaged instead of failing', async () => {
    const first = await makeCertificates({ folder, nowMs }).forBroker(request());
    await writeFile(join(folder, 'local', 'broker-ecdsa-p-256.pem'), 'not a certificate');
    const second = await makeCertificates({ folder, nowMs }).forBroker(request());
    expect(second.certificateChain).not.toBe(first.certificateChain);
    expect(await readFile(join(folder, 'local', 'broker-ecdsa-p-256.pem'), 'utf8')).toContain(
      second.certificateChain.trim(),
    );
  });

  it('refuses a testbed id that would leave the folder', async () => {
    const certificates = makeCertificates({ folder, nowMs });
    await expect(certificates.forBroker(request({ testbedId: '../x' }))).rejects.toThrow('not a testbed id');
  });
});
