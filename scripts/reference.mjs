import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { continueInNode24, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { writeReference } from './write-reference.mjs';

readArguments({
  usage:
    'npm run reference\n\nWrites docs/reference and docs/plan.schema.json from the catalogue, the addresses of the API and the help of the commands.',
});

continueInNode24();
const written = Object.entries(await writeReference());
const changed = written.filter(
  ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
);
for (const [path, text] of changed) {
  writeFileSync(join(root, path), text);
  console.log(`Changed: ${path}`);
}
console.log(`${written.length} files are generated, ${changed.length} have changed.`);
