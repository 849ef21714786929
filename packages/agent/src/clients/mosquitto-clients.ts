import { loadFailure } from '../base/load-failures.ts';
import { ask, findProgram } from '../children/programs.ts';
import { probeOpensslTls } from '../tls/tls-library.ts';
import type { ClientKind } from './client-program.ts';
import { writeMosquittoOptions } from './mosquitto-options.ts';

/** Messages that a client may have under way, beyond what the Trial's window says: all that MQTT allows. */
const maxInflight = '65535';

/** mosquitto_pub and mosquitto_sub. */
export const mosquittoClients: ClientKind = {
  name: 'mosquitto client',
  /** null as well where they are too old to be told everything (before 1.6). */
  async find() {
    const programs = await findMosquittoPrograms();
    if (programs === null) return null;
    const [help, tls] = await Promise.all([
      ask(programs.publisher, ['--help']),
      probeOpensslTls(programs.publisher),
    ]);
    const version = parseClientVersion(help.stdout + help.stderr);
    return version === null ? null : { version, tls };
  },
  async prepare({ command, folder }) {
    const programs = await findMosquittoPrograms();
    if (programs === null)
      throw loadFailure('load-worker', 'mosquitto_pub and mosquitto_sub are not on this device.');
    const told = await writeMosquittoOptions(command, folder);
    const own = { publisher: ['-l', '-M', maxInflight], subscriber: ['-R'] };
    return {
      command: (role, endpoint, clientId) => [
        programs[role],
        ...told.arguments(endpoint, clientId),
        ...own[role],
      ],
      environment: told.environment,
      tells: false,
    };
  },
};

async function findMosquittoPrograms(): Promise<{ publisher: string; subscriber: string } | null> {
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
