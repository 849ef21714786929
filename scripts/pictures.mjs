import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run pictures [-- --gallery --output FOLDER]

Retakes the pictures of README and tutorial, in light and dark: starts the built server with an empty data folder, runs
the tour and saves the front page, the running tour and its comparison. Use an idle machine: exit code 1 if a run is
flagged, because the pictures would show it.

  --gallery        instead, takes the 24 pictures of docs/pictures/gallery: pages of results with 2 to 60 treatments, with
                   none, some or all runs flagged
  --output FOLDER  where they are saved (docs/pictures, or docs/pictures/gallery)`,
  options: { output: { type: 'string' }, gallery: { type: 'boolean' } },
});

const { node } = prepare();
await ensureBuild(node);
const output = values.output === undefined ? [] : [values.output];
const script = values.gallery ? 'e2e/pictures/gallery.ts' : 'e2e/pictures/main.ts';
handOver(node, ['--disable-warning=ExperimentalWarning', script, ...output]);
