import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run pictures [-- --output FOLDER]

Retakes the pictures of README and tutorial, in light and dark: starts the built server with an empty data folder, runs
the tour and saves the front page, the running tour and its comparison. Use an idle machine: exit code 1 if a run is
flagged, because the pictures would show it.

  --output FOLDER  where they are saved (docs/pictures)`,
  options: { output: { type: 'string' } },
});

const { node } = prepare();
await ensureBuild(node);
const output = values.output === undefined ? [] : [values.output];
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/pictures/main.ts', ...output]);
