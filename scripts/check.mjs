import { prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { clearResults, runSuites, vitestSuite } from './suites.mjs';

readArguments({
  usage: 'npm run check\n\nStatic checks and pure tests: no process, no socket, under a minute.',
});

const { node } = prepare();
clearResults();
process.exit(
  await runSuites([
    { name: 'static', lane: 'static', run: () => runStaticChecks(node) },
    { name: 'pure', lane: 'pure', run: vitestSuite(node, 'pure', ['--project', 'pure']) },
  ]),
);
