import { capture } from './project.mjs';

/**
 * @param {string} name
 * @param {string} file
 */
const npm = (name, file) => `node_modules/${name}/${file}`;

/**
 * Every check that reads the code without running it: [name, program relative to the root, arguments].
 *
 * @type {readonly (readonly [string, string, readonly string[]])[]}
 */
const checks = [
  ['format and lint', npm('@biomejs/biome', 'bin/biome'), ['check', '--error-on-warnings', '.']],
  // One program of all that runs in Node, so that what they share is checked once.
  ...['.', 'apps/web', 'e2e', 'scripts'].map(
    (folder) =>
      /** @type {const} */ ([
        `types of ${folder === '.' ? 'packages, apps/server and apps/cli' : folder}`,
        // The compiler in machine code takes a third of the CPU time; the one in JavaScript is there for its API. A thread
        // more checks again what both of them use: two cores and all threads take twice the CPU time.
        npm('typescript-native', 'bin/tsc'),
        ['-p', folder, '--singleThreaded'],
      ]),
  ),
  [
    'import boundaries and cycles',
    npm('dependency-cruiser', 'bin/dependency-cruise.mjs'),
    ['--config', '.dependency-cruiser.cjs', 'packages', 'apps', 'e2e'],
  ],
  ['dead code', npm('knip', 'bin/knip.js'), []],
  ['file length', 'scripts/check-file-length.mjs', []],
  ['words', 'scripts/check-words.mjs', []],
  ['templates', 'scripts/check-templates.mjs', []],
  ['documentation', 'scripts/check-docs.mjs', []],
  ['versions', 'scripts/check-versions.mjs', []],
  ['licences of dependencies', 'scripts/check-licences.mjs', []],
];

/**
 * Runs all static checks, two at a time. Resolves with the counts and the names of failed checks.
 *
 * @param {string} node
 * @returns {Promise<import('./suites.mjs').Result>}
 */
export async function runStaticChecks(node) {
  const waiting = [...checks];
  const result = { passed: 0, failed: 0, failures: /** @type {string[]} */ ([]) };
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, program, args] = next;
      const startedAt = Date.now();
      const { code, output } = await capture(node, [program, ...args]);
      console.log(
        `${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`,
      );
      if (code === 0) result.passed++;
      else {
        result.failed++;
        result.failures.push(name);
        console.log(output);
      }
    }
  };
  await Promise.all([work(), work()]);
  return result;
}
