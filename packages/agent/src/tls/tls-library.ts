import { Duplex } from 'node:stream';
import { connect, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { groupNames } from '@mqttlab/shared/catalogue/factors/group';
import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { certificateKinds } from '@mqttlab/shared/domain/plans/trial-levels';
import { ask, findProgram } from '../processes/programs.ts';
import { cipherStringOf, isSameGroup, tls12Suites, tls13Suites } from './suites-and-groups.ts';

/** A TLS alert has 7 bytes, so longer first data from a client is its ClientHello. */
const alertBytes = 7;

/**
 * Detects which suites and groups this Node's OpenSSL actually supports. Each one is tested with a client
 * that writes its ClientHello to memory. This fails for a name that is listed but not usable, for example
 * because the security level forbids it.
 */
export async function probeNodeTls(): Promise<TlsCapability> {
  const cheap = { ecdhCurve: 'X25519' };
  const suites = [
    ...(await usable(tls13Suites, (suite) => pin('TLSv1.3', { ...cheap, ciphers: cipherStringOf(suite) }))),
    ...(await usable(tls12Suites, (suite) => pin('TLSv1.2', { ...cheap, ciphers: cipherStringOf(suite) }))),
  ];
  const groups = await usable(groupNames, (group) => pin('TLSv1.3', { ecdhCurve: group }));
  const library = `OpenSSL ${process.versions.openssl} (Node.js ${process.versions.node})`;
  return { library, suites, groups, certificates: [...certificateKinds] };
}

function pin(version: SecureVersion, options: SecureContextOptions): SecureContextOptions {
  return { ...options, minVersion: version, maxVersion: version };
}

async function usable(
  names: readonly string[],
  optionsOf: (name: string) => SecureContextOptions,
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) if (await writesClientHello(optionsOf(name))) found.push(name);
  return found;
}

/** Returns true if a client with these options sends its first flight. */
export function writesClientHello(options: SecureContextOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const wire = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        resolve(chunk.length > alertBytes);
        done();
        wire.destroy();
      },
    });
    try {
      const socket = connect({ ...options, socket: wire });
      socket.once('error', () => resolve(false));
      wire.once('close', () => resolve(false));
    } catch {
      resolve(false);
    }
  });
}

/**
 * Returns the TLS features that a program's OpenSSL offers, as reported by the `openssl` command of the same
 * library. If that command is missing or linked with another library, returns the common features of all
 * OpenSSL versions since 1.1.1 instead. The library's name then marks them as assumed.
 */
export async function probeOpensslTls(program: string): Promise<TlsCapability> {
  const linked = await findLinkedLibrary(program);
  if (linked === 'none') return { library: 'none', suites: [], groups: [], certificates: [] };
  const openssl = await findProgram('openssl');
  if (openssl === null || !(await isSameLibrary(linked, openssl))) return assumedCapability();
  const [version, tls12, tls13, groups] = await Promise.all([
    ask(openssl, ['version']),
    ask(openssl, ['ciphers', '-s', '-tls1_2', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0']),
    ask(openssl, ['ciphers', '-s', '-tls1_3', '-ciphersuites', tls13Suites.join(':'), 'ALL:@SECLEVEL=0']),
    ask(openssl, ['list', '-tls-groups', '-tls1_3']),
  ]);
  const library = parseOpensslVersion(version.stdout);
  if (library === null || tls12.code !== 0) return assumedCapability();
  const listed = new Set(`${tls12.stdout}:${tls13.stdout}`.trim().split(/[:\s]+/));
  return {
    library: `OpenSSL ${library}`,
    suites: [...tls13Suites, ...tls12Suites].filter((suite) => listed.has(suite)),
    groups: groups.code === 0 ? parseGroups(groups.stdout) : groupsOfVersion(library),
    certificates: [...certificateKinds],
  };
}

/**
 * Extracts the version from "OpenSSL 3.0.17 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)": the library's
 * version, or the program's if none is given.
 */
export function parseOpensslVersion(text: string): string | null {
  const version = /Library: OpenSSL (\S+)/.exec(text) ?? /^OpenSSL (\S+)/.exec(text);
  return version?.[1] ?? null;
}

/** Parses the colon-separated list that `openssl list -tls-groups` prints since version 3.5. */
export function parseGroups(text: string): string[] {
  const listed = text.trim().split(/[:\s]+/);
  return groupNames.filter((group) => listed.some((name) => isSameGroup(group, name)));
}

/**
 * Returns the groups of an OpenSSL version. OpenSSL's CHANGES.md lists ffdhe groups in TLS 1.3 since 3.0,
 * X25519MLKEM768 since 3.5.
 */
export function groupsOfVersion(version: string): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const has = (group: string) =>
    group.includes('MLKEM')
      ? major > 3 || (major === 3 && minor >= 5)
      : !group.startsWith('ffdhe') || major >= 3;
  return groupNames.filter(has);
}

/** Returns features that are included in every OpenSSL since 1.1.1 and enabled in every distribution. */
function assumedCapability(): TlsCapability {
  const common = /GCM|CHACHA20/;
  return {
    library: 'OpenSSL (assumed 1.1.1: no openssl command of the same library)',
    suites: [...tls13Suites, ...tls12Suites].filter((suite) => common.test(suite) && !suite.includes('ARIA')),
    groups: groupsOfVersion('1.1.1'),
    certificates: [...certificateKinds],
  };
}

async function isSameLibrary(linked: string, openssl: string): Promise<boolean> {
  if (linked === 'unknown') return true;
  const other = await findLinkedLibrary(openssl);
  return other === linked || other === 'unknown';
}

/** Returns the path of the libssl that a program loads, "none", or "unknown" if it cannot be determined. */
async function findLinkedLibrary(program: string): Promise<string> {
  const ldd = await findProgram('ldd');
  if (ldd === null) return 'unknown';
  const answer = await ask(ldd, [program]);
  if (answer.code !== 0) return 'unknown';
  return /libssl\.so\S* => (\S+)/.exec(answer.stdout)?.[1] ?? 'none';
}
