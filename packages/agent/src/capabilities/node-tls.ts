import { Duplex } from 'node:stream';
import { connect, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { groupNames } from '@mqttlab/shared/catalogue/factors/group';
import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { certificateKinds } from '@mqttlab/shared/domain/plans/trial-spec';
import { cipherStringOf } from '../brokers/suite-ciphers.ts';
import { tls12Suites, tls13Suites } from './tls-suites.ts';

/** A TLS alert is 7 bytes long; anything longer that a client writes first is its ClientHello. */
const alertBytes = 7;

/**
 * What this Node's OpenSSL can really use. Each suite and group is tried by letting a client write its
 * ClientHello into memory: a name that is only listed (forbidden by the security level, say) fails there.
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

/** Whether a client with these options gets as far as its first flight. */
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
