import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activateNextAuthority } from './server-authority.ts';
import { makeServerCertificate, stageAuthority } from './server-certificate.ts';

const run = promisify(execFile);
const nowMs = Date.now();
const dayMs = 86_400_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const text = (name: string): string => readFileSync(at(name), 'utf8');
const open = (names: string[] = ['lab.example.org'], now = nowMs) =>
  makeServerCertificate({ folder, names, nowMs: now });
const openssl = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('openssl', args, { cwd: folder });
  return stdout;
};
const verify = (name: string, ...more: string[]): Promise<string> =>
  openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'authority.pem', ...more, name);

/** Signs a certificate with the authority's key, as a thief of the file could. */
async function forge(name: string, extensions: string): Promise<string> {
  await openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', `${name}.key`);
  await openssl('req', '-new', '-key', `${name}.key`, '-subj', '/CN=forged', '-out', `${name}.csr`);
  writeFileSync(at('extensions'), extensions);
  const authority = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-extfile', 'extensions'];
  await openssl('x509', '-req', '-in', `${name}.csr`, ...authority, '-out', `${name}.pem`);
  return `${name}.pem`;
}

/** The single file of an earlier version: a certificate without name constraints, and its key. */
async function writeCombinedAuthority(): Promise<{ certificate: string; privateKey: string }> {
  await openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', 'old.key');
  const extensions = ['basicConstraints=critical,CA:TRUE,pathlen:2', 'keyUsage=critical,keyCertSign'];
  const options = extensions.flatMap((extension) => ['-addext', extension]);
  await openssl(
    'req',
    '-x509',
    '-key',
    'old.key',
    '-subj',
    '/CN=old',
    '-days',
    '3650',
    ...options,
    '-out',
    'old.pem',
  );
  const [certificate, privateKey] = [text('old.pem'), text('old.key')];
  for (const name of ['old.pem', 'old.key']) rmSync(at(name));
  writeFileSync(at('authority.pem'), certificate + privateKey);
  return { certificate, privateKey };
}

describe("the server's authority", () => {
  it('keeps its key in a separate private file', async () => {
    const made = await open();
    expect(text('authority.pem')).toMatch(/^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n$/);
    expect(text('authority.key')).toContain('BEGIN PRIVATE KEY');
    for (const name of readdirSync(folder)) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    expect(made.concerns).toEqual([]);
    expect(await open()).toEqual(made);
  });

  it('signs for the names of the server, which openssl and Node accept', async () => {
    const made = await open(['lab.example.org', '203.0.113.7', '2001:db8:1:2::3']);
    writeFileSync(at('chain.pem'), made.chain);
    for (const name of ['localhost', 'lab.example.org']) await verify('chain.pem', '-verify_hostname', name);
    for (const ip of ['127.0.0.1', '203.0.113.7', '2001:db8:1:2::3'])
      await verify('chain.pem', '-verify_ip', ip);
    const server = createServer({ cert: made.chain, key: made.key }, (socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const isAuthorized = await new Promise((resolve, reject) => {
      const target = { host: '127.0.0.1', port, ca: made.pinned, servername: 'lab.example.org' };
      const socket = connect(target, () => resolve(socket.authorized)).on('error', reject);
    });
    server.close();
    expect(isAuthorized).toBe(true);
  });

  it('cannot sign for other names, public addresses or further authorities', async () => {
    await open();
    const foreign = await forge('foreign', 'subjectAltName=DNS:accounts.google.com');
    await expect(verify(foreign)).rejects.toThrow(/permitted subtree violation/);
    const address = await forge('address', 'subjectAltName=IP:8.8.8.8');
    await expect(verify(address)).rejects.toThrow(/permitted subtree violation/);
    const nested = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n';
    await forge('nested', nested);
    renameSync(at('authority.pem'), at('root.pem'));
    renameSync(at('nested.pem'), at('authority.pem'));
    renameSync(at('nested.key'), at('authority.key'));
    const below = await forge('below', 'subjectAltName=DNS:localhost');
    const chain = ['-untrusted', 'authority.pem', '-CAfile', 'root.pem'];
    await expect(openssl('verify', ...chain, below)).rejects.toThrow(/path length constraint exceeded/);
    const critical = await openssl('x509', '-in', 'root.pem', '-noout', '-text');
    expect(critical).toContain('X509v3 Name Constraints: critical');
  });

  it('permits every private address, so that a server may move within its networks', async () => {
    await open();
    const addresses = [
      '10.9.8.7',
      '172.31.0.1',
      '192.168.77.1',
      '169.254.1.1',
      '100.64.0.9',
      'fd12::9',
      'fe80::1',
    ];
    const moved = await open(['lab.example.org', ...addresses]);
    expect(moved.concerns).toEqual([]);
    writeFileSync(at('chain.pem'), moved.chain);
    for (const address of addresses) await verify('chain.pem', '-verify_ip', address);
  });

  it('leaves out a name that was configured later, and covers it after a rotation', async () => {
    const first = await open(['lab.example.org', '2001:db8::1']);
    const later = await open(['lab.example.org', 'other.example.org', '203.0.113.9', '2001:db8::2']);
    expect(later.pinned).toBe(first.pinned);
    expect(later.concerns).toEqual([expect.stringMatching(/other\.example\.org.*mqttlab tls rotate/)]);
    expect(later.concerns[0]).toContain('203.0.113.9');
    expect(later.concerns[0]).not.toContain('2001:db8::2');
    const names = ['lab.example.org', 'other.example.org', '203.0.113.9'];
    const next = await stageAuthority({ folder, names, nowMs });
    expect((await open(names)).pinned).toBe(first.pinned);
    await activateNextAuthority(folder);
    const rotated = await open(names);
    expect(rotated.pinned).toBe(next);
    expect(rotated.concerns).toEqual([]);
    writeFileSync(at('chain.pem'), rotated.chain);
    await verify('chain.pem', '-verify_hostname', 'other.example.org');
    await verify('chain.pem', '-verify_ip', '203.0.113.9');
  });

  it('recommends a rotation half a year before it expires, and is made again afterwards', async () => {
    const first = await open();
    const old = await open(undefined, nowMs + 5 * 365 * dayMs - 100 * dayMs);
    expect(old.pinned).toBe(first.pinned);
    expect(old.concerns.join()).toMatch(/expires in 99 days.*mqttlab tls rotate/);
    const replaced = await open(undefined, nowMs + 5 * 365 * dayMs + dayMs);
    expect(replaced.pinned).not.toBe(first.pinned);
    expect(replaced.concerns.join()).toMatch(/new certificate authority/);
  });
});

describe('an authority of an earlier version', () => {
  it('is split into certificate and key, stays the same, and recommends a rotation at every start', async () => {
    const { certificate, privateKey } = await writeCombinedAuthority();
    for (let start = 0; start < 2; start += 1) {
      const opened = await open();
      expect(text('authority.pem')).toBe(certificate);
      expect(text('authority.key')).toBe(privateKey);
      expect(statSync(at('authority.key')).mode & 0o777).toBe(0o600);
      expect(opened.pinned).toBe(certificate);
      expect(opened.concerns.join()).toMatch(/private key.*mqttlab tls rotate/);
    }
  });

  it('is split by the next start if the first was killed in between', async () => {
    const { certificate, privateKey } = await writeCombinedAuthority();
    writeFileSync(at('authority.key'), privateKey, { mode: 0o600 });
    expect((await open()).pinned).toBe(certificate);
    expect(text('authority.pem')).toBe(certificate);
  });

  it('is replaced completely, even if the server is killed in between', async () => {
    await writeCombinedAuthority();
    await open();
    const next = await stageAuthority({ folder, names: [], nowMs });
    renameSync(at('next-authority.key'), at('authority.key'));
    const recovered = await open([]);
    expect(recovered.pinned).toBe(next);
    expect(recovered.concerns).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(['authority.key', 'authority.pem', 'server.key']);
  });

  it('is made again if the key is missing', async () => {
    const first = await open();
    rmSync(at('authority.key'));
    const second = await open();
    expect(second.pinned).not.toBe(first.pinned);
    expect(second.concerns.join()).toMatch(/new certificate authority/);
    writeFileSync(at('chain.pem'), second.chain);
    await verify('chain.pem', '-verify_hostname', 'localhost');
  });
});
