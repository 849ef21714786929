import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { continueInNode24, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { writeReference } from './write-reference.mjs';

readArguments({
  usage:
    'npm run reference\n\nWrites docs/reference and docs/plan.schema.json from the catalogue, the addresses of the API and the help of the commands.',
});

continueInNode24();
for (const [path, text] of Object.entries(await writeReference())) writeFileSync(join(root, path), text);
