import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MqttVersion } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { PrepareWorker } from '../load-process/worker-messages.ts';
import type { ClientProgram } from './client-program.ts';
import { writeOpensslConfiguration } from './openssl-file.ts';

type Endpoint = PrepareClient['broker'];

const versionOptions: Readonly<Record<MqttVersion, string>> = {
  '3.1': 'mqttv31',
  '3.1.1': 'mqttv311',
  '5.0': 'mqttv5',
};
/** Longest that mosquitto takes, s: nothing shall travel that the workload did not ask for. */
const keepAlive = '65535';

/** Writes certificates, OpenSSL's configuration and the password into the Run's own folder, mode 0600. */
export async function writeMosquittoOptions(
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
  // In a file, because arguments can be read by every user of the device.
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
