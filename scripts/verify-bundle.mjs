import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { handOver, prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { positionals } = readArguments({
  usage: `npm run verify-bundle [-- BUNDLE.zip]

Holds a research bundle against rocrate, pyarrow, pandas, scipy and roc-validator; without one it measures and exports one.`,
  mostPositionals: 1,
});

const packages = [
  'rocrate==0.16.0',
  'pyarrow==26.0.1',
  'pandas==3.1.1',
  'roc-validator==0.13.0',
  'scipy==1.17.1',
];
const folder = join(root, 'node_modules', '.mqttlab-python');

/** Independent readers in an environment of their own, made once; about a minute. */
async function ensurePython() {
  const python = join(folder, 'bin', 'python3');
  const isThere = () =>
    run(python, ['-c', 'import rocrate, pyarrow, pandas, rocrate_validator, scipy'], { stdio: 'ignore' });
  if (existsSync(python) && (await isThere()) === 0) return python;
  console.log(`Installing ${packages.join(', ')} ...`);
  const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages];
  if ((await run('python3', ['-m', 'venv', folder])) === 0 && (await run(python, pip)) === 0) return python;
  console.error('verify-bundle: needs python3 with venv and pip (Debian: apt-get install python3-venv).');
  process.exit(2);
}

const [file] = positionals;
const { node } = prepare();
const python = await ensurePython();
if (file) process.exit(await run(python, [join(root, 'scripts/verify-bundle.py'), file]));
await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/bundle/main.ts', python]);
