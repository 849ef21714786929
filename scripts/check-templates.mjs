import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage:
    'node scripts/check-templates.mjs\n\nChecks the syntax of the Python programs for external devices; part of npm run check. Needs python3.',
});

const folder = join(root, 'packages/shared/src/catalogue/external-device/templates');
const files = readdirSync(folder).filter((file) => file.endsWith('.py'));
const program = 'import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path)';
const { error, status, stderr } = spawnSync(
  'python3',
  ['-c', program, ...files.map((file) => join(folder, file))],
  { encoding: 'utf8' },
);
if (error) console.log(`python3 is not installed: ${files.join(', ')} not checked`);
else if (status !== 0) {
  console.log(stderr);
  process.exitCode = 1;
}
