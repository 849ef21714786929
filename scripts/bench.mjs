import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: `npm run bench [-- --json]

Measures load engine, server, virtual lab and page against their goals: about 15 minutes on a machine with nothing
else to do. Exit code 1 where a goal was missed.

  --json  figures as JSON`,
  options: { json: { type: 'boolean' } },
});

const { node } = prepare();
await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/bench/main.ts', ...process.argv.slice(2)]);
