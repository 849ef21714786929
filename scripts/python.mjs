import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './project.mjs';

/**
 * Creates a Python environment below node_modules, once, with exactly these packages. Resolves with its folder
 * of programs, or with null if it cannot be created. `modules` are imported to check that it is complete.
 *
 * @param {{ name: string, packages: readonly string[], modules: readonly string[] }} environment
 */
export async function ensurePython({ name, packages, modules }) {
  const folder = join(root, 'node_modules', name);
  const programs = join(folder, 'bin');
  const python = join(programs, 'python3');
  const isWhole = () => run(python, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' });
  if (existsSync(python) && (await isWhole()) === 0) return programs;
  console.log(`Installing ${packages.join(', ')} ...`);
  const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages];
  const isMade = (await run('python3', ['-m', 'venv', folder])) === 0 && (await run(python, pip)) === 0;
  if (!isMade) console.error('It needs python3 with venv and pip (Debian: apt-get install python3-venv).');
  return isMade ? programs : null;
}

/** Where no Python is named, one with what the agents and devices of the tests run, if it can be had. */
export async function ensurePaho() {
  const programs = process.env.MQTTLAB_PYTHON
    ? null
    : await ensurePython({
        name: '.mqttlab-paho',
        packages: ['paho-mqtt==2.1.0', 'cryptography==46.0.3'],
        modules: ['paho.mqtt.client', 'cryptography'],
      });
  if (programs !== null) process.env.MQTTLAB_PYTHON = join(programs, 'python3');
}
