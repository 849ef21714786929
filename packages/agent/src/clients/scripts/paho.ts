import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFailure } from '../../base/load-failures.ts';
import { ask, findProgram } from '../../children/programs.ts';
import { probeOpensslTls } from '../../tls/tls-library.ts';
import type { ClientKind } from '../client-program.ts';
import { writeOpensslConfiguration } from '../openssl-file.ts';
import { pahoScript } from './paho-script.ts';
import { writeScriptSettings } from './script-settings.ts';

const probe =
  'import json, ssl, _ssl, paho.mqtt\n' +
  "print(json.dumps([paho.mqtt.__version__, getattr(_ssl, '__file__', '')]))";

/** Of a Python that has paho-mqtt: the one that MQTTLAB_PYTHON names, else the one on the PATH. */
export const pahoClient: ClientKind = {
  name: 'paho-mqtt client',
  async find() {
    const python = await findPython();
    if (python === null) return null;
    const { stdout, code } = await ask(python, ['-c', probe]);
    if (code !== 0) return null;
    const [version, library] = JSON.parse(stdout) as [string, string];
    return { version, tls: await probeOpensslTls(library || python) };
  },
  async prepare(options) {
    const { command, folder } = options;
    const python = await findPython();
    if (python === null)
      throw loadFailure('load-worker', 'There is no python3 with paho-mqtt on this device.');
    const script = join(folder, 'paho-client.py');
    await writeFile(script, pahoScript, { mode: 0o600 });
    const settings = await writeScriptSettings(options);
    const { variables, cipherString } = await writeOpensslConfiguration(command.spec, folder);
    return {
      command: (role, { address, port }, clientId) => [
        python,
        '-u',
        script,
        settings,
        role,
        address,
        String(port),
        clientId,
        cipherString,
      ],
      environment: variables,
      tells: true,
    };
  },
};

async function findPython(): Promise<string | null> {
  return process.env.MQTTLAB_PYTHON || (await findProgram('python3'));
}
