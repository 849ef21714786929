import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { handOver, prepare, root, run } from './project.mjs';
import { ensurePython } from './python.mjs';
import { readArguments } from './script-arguments.mjs';

const { positionals } = readArguments({
  usage: `npm run verify-bundle [-- BUNDLE.zip]

Holds a research bundle against rocrate, pyarrow, pandas, scipy and roc-validator; without one it measures and exports one.`,
  maxPositionals: 1,
});

const [file] = positionals;
const { node } = prepare();
// Independent readers; about a minute, once.
const programs = await ensurePython({
  name: '.mqttlab-python',
  packages: ['rocrate==0.16.0', 'pyarrow==26.0.1', 'pandas==3.1.1', 'roc-validator==0.13.0', 'scipy==1.17.1'],
  modules: ['rocrate', 'pyarrow', 'pandas', 'rocrate_validator', 'scipy'],
});
if (programs === null) process.exit(2);
const python = join(programs, 'python3');
if (file) process.exit(await run(python, [join(root, 'scripts/verify-bundle.py'), file]));
await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/bundle/main.ts', python]);
