import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { PrepareWorker } from '../../load/worker-messages.ts';
import { loadFailure } from '../../processes/failures.ts';
import { ask, findProgram } from '../../processes/programs.ts';
import { probeOpensslTls } from '../../tls/tls-library.ts';
import { type ClientKind, type ClientProgram, writeOpensslConfiguration } from '../client-program.ts';

/**
 * Number of messages that a client can have in flight in addition to the trial's window: the maximum of MQTT.
 */
const maxInflight = '65535';

/** mosquitto_pub and mosquitto_sub. */
export const mosquittoClients: ClientKind = {
  name: 'mosquitto client',
  /** Returns null if the programs are missing or too old for the required options (before 1.6). */
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
      throw loadFailure('load-worker', 'mosquitto_pub and mosquitto_sub are not installed on this device.');
    const options = await writeMosquittoOptions(command, folder);
    // Otherwise, mosquitto_sub ends with a protocol error if 20 messages of QoS 2 are in flight.
    const receives =
      command.spec.mqttVersion === '5.0' ? ['-D', 'connect', 'receive-maximum', maxInflight] : [];
    const own = { publisher: ['-l', '-M', maxInflight], subscriber: ['-R', ...receives] };
    return {
      command: (role, endpoint, clientId) => [
        programs[role],
        ...options.arguments(endpoint, clientId),
        ...own[role],
      ],
      environment: options.environment,
      reportsConnection: false,
    };
  },
};

async function findMosquittoPrograms(): Promise<{ publisher: string; subscriber: string } | null> {
  const [publisher, subscriber] = await Promise.all(
    ['mosquitto_pub', 'mosquitto_sub'].map((name) => findProgram(name)),
  );
  return publisher && subscriber ? { publisher, subscriber } : null;
}

/**
 * Parses "mosquitto_pub version 2.0.11 running on libmosquitto 2.0.11."; returns null before 1.6, which lacks
 * MQTT 5.
 */
export function parseClientVersion(text: string): string | null {
  const found = /mosquitto_pub version (\d+)\.(\d+)(\.\d+)?/.exec(text);
  if (found === null) return null;
  const [, major = '0', minor = '0', patch = ''] = found;
  return Number(major) * 100 + Number(minor) < 106 ? null : `${major}.${minor}${patch}`;
}

type Endpoint = PrepareClient['broker'];

const versionOptions: Readonly<Record<MqttVersion, string>> = {
  '3.1': 'mqttv31',
  '3.1.1': 'mqttv311',
  '5.0': 'mqttv5',
};
/** Maximum keep-alive that Mosquitto accepts, in s: the workload sends no PINGREQ. */
const keepAlive = '65535';

/** Writes certificates, OpenSSL's configuration and the password to the run's folder, with mode 0600. */
async function writeMosquittoOptions(
  command: PrepareWorker,
  folder: string,
): Promise<
  Pick<ClientProgram, 'environment'> & { arguments: (endpoint: Endpoint, clientId: string) => string[] }
> {
  const { spec, authority, certificate, credentials, localAddress } = command;
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const tls: string[] = [];
  if (spec.security !== 'plain') {
    tls.push('--cafile', await write('authority.pem', authority ?? ''));
    tls.push('--tls-version', spec.security === 'TLS 1.3' ? 'tlsv1.3' : 'tlsv1.2');
    if (certificate !== null) {
      tls.push('--cert', await write('client.pem', certificate.certificateChain));
      tls.push('--key', await write('client.key', certificate.privateKey));
    }
  }
  // Passed in a file, because every user of the device can read arguments.
  if (credentials !== null) {
    await mkdir(join(folder, 'config'), { recursive: true, mode: 0o700 });
    const lines = `-u ${credentials.username}\n-P ${credentials.password}\n`;
    for (const name of ['mosquitto_pub', 'mosquitto_sub']) await write(join('config', name), lines);
  }
  const bound = localAddress === undefined ? [] : ['-A', localAddress];
  const common = [
    ...bound,
    '-t',
    spec.topic,
    '-q',
    String(spec.qos),
    '-V',
    versionOptions[spec.mqttVersion],
    ...tls,
  ];
  return {
    arguments: ({ address, port }, clientId) => [
      '-h',
      address,
      '-p',
      String(port),
      '-i',
      clientId,
      '-k',
      keepAlive,
      '--nodelay',
      ...common,
    ],
    environment: {
      ...(await writeOpensslConfiguration(spec, folder)).variables,
      XDG_CONFIG_HOME: join(folder, 'config'),
    },
  };
}
