import { groupNames } from '@mqttlab/shared/catalogue/factors/group';
import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { certificateKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { ask, findProgram } from '../children/ask.ts';
import { tls12Suites, tls13Suites } from './tls-suites.ts';

/**
 * What the OpenSSL that a program is linked with offers, as told by the `openssl` command of the same library.
 * Where that command is missing or is linked with another library, what every OpenSSL since 1.1.1 has is
 * announced instead, and the library's name says that this is assumed.
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

/** From "OpenSSL 3.0.17 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)": the library's, else the program's. */
export function parseOpensslVersion(text: string): string | null {
  const version = /Library: OpenSSL (\S+)/.exec(text) ?? /^OpenSSL (\S+)/.exec(text);
  return version?.[1] ?? null;
}

/** OpenSSL's own names for the groups that have another one in mqttlab. */
const opensslNames: Readonly<Record<string, string>> = {
  'P-256': 'secp256r1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
};

/** From the colon-separated list that `openssl list -tls-groups` prints since 3.5. */
export function parseGroups(text: string): string[] {
  const listed = new Set(
    text
      .toLowerCase()
      .trim()
      .split(/[:\s]+/),
  );
  return groupNames.filter((group) => listed.has((opensslNames[group] ?? group).toLowerCase()));
}

/** CHANGES.md of OpenSSL: ffdhe groups in TLS 1.3 since 3.0, X25519MLKEM768 since 3.5. */
export function groupsOfVersion(version: string): string[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const has = (group: string) =>
    group.includes('MLKEM')
      ? major > 3 || (major === 3 && minor >= 5)
      : !group.startsWith('ffdhe') || major >= 3;
  return groupNames.filter(has);
}

/** In every OpenSSL since 1.1.1 and in no distribution switched off. */
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

/** The path of libssl that a program loads, "none", or "unknown" where nothing tells. */
async function findLinkedLibrary(program: string): Promise<string> {
  const ldd = await findProgram('ldd');
  if (ldd === null) return 'unknown';
  const answer = await ask(ldd, [program]);
  if (answer.code !== 0) return 'unknown';
  return /libssl\.so\S* => (\S+)/.exec(answer.stdout)?.[1] ?? 'none';
}
