import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({ usage: 'npm run reference\n\nWrites docs/metrics.md from the catalogue of metrics.' });

/** Writes docs/metrics.md from the catalogue. */
async function main() {
  const { writeMetricsReference } = await import('../packages/shared/src/catalogue/metrics-reference.ts');
  writeFileSync(join(root, 'docs/metrics.md'), writeMetricsReference());
}

const { node } = prepare();
if (node === process.execPath) await main();
else process.exit(spawnSync(node, [fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1);
