import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import { ask, findProgram } from '../children/programs.ts';
import { probeOpensslTls } from '../tls/tls-library.ts';

/** What of mosquitto_pub and mosquitto_sub there is on this device. */
export interface MosquittoClients {
  publisher: string;
  subscriber: string;
  version: string;
  tls: TlsCapability;
}

/** null when one of the two is missing, or too old to be told everything (before 1.6). */
export async function findMosquittoClients(): Promise<MosquittoClients | null> {
  const programs = await findMosquittoPrograms();
  if (programs === null) return null;
  const [help, tls] = await Promise.all([
    ask(programs.publisher, ['--help']),
    probeOpensslTls(programs.publisher),
  ]);
  const version = parseClientVersion(help.stdout + help.stderr);
  return version === null ? null : { ...programs, version, tls };
}

export async function findMosquittoPrograms(): Promise<Pick<
  MosquittoClients,
  'publisher' | 'subscriber'
> | null> {
  const [publisher, subscriber] = await Promise.all(
    ['mosquitto_pub', 'mosquitto_sub'].map((name) => findProgram(name)),
  );
  return publisher && subscriber ? { publisher, subscriber } : null;
}

/** From "mosquitto_pub version 2.0.11 running on libmosquitto 2.0.11."; null before 1.6, which lacks MQTT 5. */
export function parseClientVersion(text: string): string | null {
  const found = /mosquitto_pub version (\d+)\.(\d+)(\.\d+)?/.exec(text);
  if (found === null) return null;
  const [, major = '0', minor = '0', patch = ''] = found;
  return Number(major) * 100 + Number(minor) < 106 ? null : `${major}.${minor}${patch}`;
}
