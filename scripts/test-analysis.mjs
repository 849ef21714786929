import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { ensureR } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';
import { ensurePython } from './python.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `node scripts/test-analysis.mjs [--json FILE]

Measures a small experiment, runs the notebook and the R script of examples/analysis on its exported values, and compares
every interval with those of the API. The R script is left out if Rscript is missing and cannot be installed.

  --json FILE  writes how many comparisons passed and failed, and which failed`,
  options: { json: { type: 'string', default: '' } },
});

const { node } = prepare();
// A kernel of Jupyter and the readers of the table; about a minute, once.
const programs = await ensurePython({
  name: '.mqttlab-notebook',
  packages: ['pyarrow==26.0.1', 'pandas==3.1.1', 'scipy==1.17.1', 'nbclient==0.11.0', 'ipykernel==7.4.0'],
  modules: ['pyarrow', 'pandas', 'scipy', 'nbclient', 'ipykernel'],
});
if (programs === null) process.exit(2);
const hasR = ensureR();
await ensureBuild(node);
handOver(node, [
  '--disable-warning=ExperimentalWarning',
  'e2e/analysis/main.ts',
  ...['--jupyter', join(programs, 'jupyter-execute')],
  ...(hasR ? ['--rscript', 'Rscript'] : []),
  ...['--json', values.json],
]);
