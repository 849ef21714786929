import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { findNode } from './find-node.mjs';
import { prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const usage = `npm run coverage [-- --draws N --seeds N,N]

Draws runs of known truth and counts how often the intervals of the product hold it (94 to 96 %, after stopping at least
94 %), how often equal treatments are claimed to differ, also with values in the steps of the instrument (at most 5.5 %),
and how often the difference that the wizard promises to detect with 80 % power is found (78 to 85 %).
--draws 20000 and --seeds 1,2 by default: about three minutes on two cores.`;

/**
 * Every scenario with every seed, the seeds of one scenario next to each other.
 *
 * @param {readonly number[]} seeds
 */
async function listCells(seeds) {
  const { makeScenarios } = await import('../packages/shared/src/analysis/simulation/scenarios.ts');
  const [first, ...others] = seeds.map((seed) => makeScenarios(seed));
  return (first ?? []).flatMap((scenario, index) => [scenario, ...others.flatMap((all) => all[index] ?? [])]);
}

/**
 * Measures the next cell until none is left. All threads share the counter `next`.
 *
 * @param {{ seeds: readonly number[], draws: number, next: Int32Array }} work
 */
async function measureCells({ seeds, draws, next }) {
  const { measureScenario } = await import('../packages/shared/src/analysis/simulation/measure-coverage.ts');
  const cells = await listCells(seeds);
  for (;;) {
    const cell = Atomics.add(next, 0, 1);
    const scenario = cells[cell];
    if (scenario === undefined) return;
    parentPort?.postMessage({ cell, measured: measureScenario(scenario, draws) });
  }
}

async function main() {
  const { draws, seeds } = readOptions();
  const started = performance.now();
  const cells = await listCells(seeds);
  /** @type {Awaited<ReturnType<typeof import('../packages/shared/src/analysis/simulation/measure-coverage.ts').measureScenario>>[]} */
  const all = [];
  let shown = 0;
  /** Shows each scenario in its order, once it was measured with every seed. */
  const show = () => {
    for (; shown < cells.length; shown += seeds.length) {
      const found = seeds.flatMap((_, i) => all[shown + i] ?? []);
      if (found.length < seeds.length) return;
      const verdict = found.every(({ isMet }) => isMet) ? 'ok  ' : 'FAIL';
      const percents = found.map(({ percent }) => `${percent.toFixed(2).padStart(6)} %`);
      console.log(`${verdict} ${percents.join(' ')} ${found[0]?.name}`);
    }
  };
  const next = new Int32Array(new SharedArrayBuffer(4));
  const threads = Array.from({ length: availableParallelism() }, () => {
    const thread = new Worker(new URL(import.meta.url), { workerData: { seeds, draws, next }, argv: [] });
    thread.on('message', ({ cell, measured }) => {
      all[cell] = measured;
      show();
    });
    return new Promise((resolve, reject) => {
      thread.on('exit', resolve).on('error', reject);
    });
  });
  await Promise.all(threads);
  const failed = all.filter(({ isMet }) => !isMet).length;
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage();
  console.log(
    `${all.length - failed} passed, ${failed} failed (${draws} draws each, seeds ${seeds.join(', ')}) in ` +
      `${seconds.toFixed(0)} s, CPU time ${((user + system) / 1e6).toFixed(0)} s`,
  );
  process.exitCode = failed > 0 ? 1 : 0;
}

function readOptions() {
  const { values } = readArguments({
    usage,
    options: { draws: { type: 'string', default: '20000' }, seeds: { type: 'string', default: '1,2' } },
  });
  const draws = Number(values.draws);
  const seeds = values.seeds.split(',').map(Number);
  if (!Number.isInteger(draws) || draws < 100)
    stopWith(`--draws must be a whole number from 100 on, not ${values.draws}`);
  if (!seeds.every((seed) => Number.isInteger(seed) && seed >= 0))
    stopWith(`--seeds must be whole numbers with commas, not ${values.seeds}`);
  return { draws, seeds };
}

/**
 * @param {string} message
 * @returns {never}
 */
function stopWith(message) {
  console.error(`coverage: ${message}\nUsage: ${usage}`);
  process.exit(2);
}

/** Returns the path of a Node that runs TypeScript. Installs the packages, which contain one, if there is none. */
function findOrInstallNode() {
  try {
    return findNode(root);
  } catch {
    return prepare().node;
  }
}

async function start() {
  if (!isMainThread) return measureCells(workerData);
  const node = findOrInstallNode();
  if (node === process.execPath) return main();
  const again = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exit(spawnSync(node, again, { stdio: 'inherit' }).status ?? 1);
}

await start();
