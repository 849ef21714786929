import { prepare, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { runStaticChecks } from './static-checks.mjs';

readArguments({ usage: 'npm run check\n\nStatic checks and unit tests.' });

const { node } = prepare();
const { passed, failed } = await runStaticChecks(node);
const units = await run(node, ['node_modules/vitest/vitest.mjs', 'run']);
console.log(
  `static checks: ${passed} passed, ${failed} failed; unit tests ${units === 0 ? 'passed' : 'failed'}`,
);
process.exit(failed === 0 && units === 0 ? 0 : 1);
