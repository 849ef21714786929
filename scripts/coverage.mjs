import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findNode } from './find-node.mjs';
import { prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const usage = `npm run coverage [-- --draws N --seed N]

Draws runs of known truth and counts how often the intervals of the product hold it (94 to 96 %, after stopping at least
94 %), how often equal treatments are claimed to differ, also with values in the steps of the instrument (at most 5.5 %),
and how often the difference that the wizard promises to detect with 80 % power is found (78 to 85 %).
--draws 20000 and --seed 1 by default; about five minutes.`;

const { values } = readArguments({
  usage,
  options: { draws: { type: 'string', default: '20000' }, seed: { type: 'string', default: '1' } },
});
const options = { draws: Number(values.draws), seed: Number(values.seed) };
if (!Number.isInteger(options.draws) || options.draws < 100)
  stopWith(`--draws must be a whole number from 100 on, not ${values.draws}`);
if (!Number.isInteger(options.seed) || options.seed < 0)
  stopWith(`--seed must be a whole number, not ${values.seed}`);

function stopWith(message) {
  console.error(`coverage: ${message}\nUsage: ${usage}`);
  process.exit(2);
}

async function main() {
  const { measureCoverage } = await import('../packages/shared/src/analysis/simulation/measure-coverage.ts');
  const all = measureCoverage(options, ({ name, percent, isMet }) => {
    console.log(`${isMet ? 'ok  ' : 'FAIL'} ${percent.toFixed(2).padStart(6)} % ${name}`);
  });
  const failed = all.filter(({ isMet }) => !isMet).length;
  console.log(
    `${all.length - failed} passed, ${failed} failed (${options.draws} draws each, seed ${options.seed})`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

let node = process.execPath;
try {
  node = findNode(root);
} catch {
  ({ node } = prepare());
}
if (node === process.execPath) await main();
else {
  const again = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(node, again, { stdio: 'inherit' }).status ?? 1);
}
