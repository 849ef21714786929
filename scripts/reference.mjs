import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: 'npm run reference\n\nWrites docs/metrics.md and docs/plan.schema.json from the catalogue.',
});

async function main() {
  const { writeMetricsReference } = await import('../packages/shared/src/catalogue/metrics-reference.ts');
  const { makePlanFileSchema } = await import('../packages/shared/src/planning/plan-file-schema.ts');
  writeFileSync(join(root, 'docs/metrics.md'), writeMetricsReference());
  writeFileSync(join(root, 'docs/plan.schema.json'), `${JSON.stringify(makePlanFileSchema())}\n`);
}

const { node } = prepare();
if (node === process.execPath) await main();
else process.exit(spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1);
