import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare, root, run } from './project.mjs';
import { ensurePaho } from './python.mjs';
import { readArguments } from './script-arguments.mjs';
import {
  clearResults,
  playwrightSuite,
  programSuite,
  reportingSuite,
  runSuites,
  vitestSuite,
} from './suites.mjs';

/** @typedef {import('./suites.mjs').Suite & { proves: string, needsRoot?: boolean }} FullSuite */

const { node } = prepare();
// The virtual lab is made of namespaces and mounts, which only root can make.
const hasLab = process.platform === 'linux' && process.getuid?.() === 0;
const all = listSuites().filter(({ needsRoot }) => hasLab || !needsRoot);
const names = all.map(({ name }) => name);

const { values } = readArguments({
  usage: `npm run test:full [-- --only NAME,... | --from NAME]

Runs the suites that measure time, load or faults, or take minutes. Those that measure time have the machine to
themselves; the others follow in lanes side by side. Prints a table of durations and results.

  --only NAME,...  runs these suites only
  --from NAME      runs this suite and those after it

Suites:
${all.map(({ name, proves }) => `  ${name.padEnd(12)} ${proves}`).join('\n')}`,
  options: { only: { type: 'string' }, from: { type: 'string' } },
});

const chosen = chooseSuites();
if (!hasLab) console.log('Left out: the suites of the virtual lab, which need root on Linux.');
ensureTools({ lab: hasLab });
await ensurePaho();
await ensureBuild(node);
clearResults();
process.exit(await runSuites(chosen));

function chooseSuites() {
  const wanted = values.only === undefined ? [] : values.only.split(',');
  const unknown = [...wanted, ...(values.from === undefined ? [] : [values.from])].filter(
    (name) => !names.includes(name),
  );
  if (unknown.length > 0) {
    console.error(`There is no suite ${unknown.join(', ')}. Suites: ${names.join(', ')}.`);
    process.exit(2);
  }
  if (wanted.length > 0) return all.filter(({ name }) => wanted.includes(name));
  return values.from === undefined ? all : all.slice(names.indexOf(values.from));
}

/**
 * Paths of the files below a folder whose name has this ending.
 *
 * @param {string} folder
 * @param {string} ending
 */
function filesIn(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);
}

/**
 * In the order they run. Suites that assert measured time, or that this machine is left as it was, have no lane: they run
 * alone, before the others. The lanes are of about the same length.
 *
 * @returns {FullSuite[]}
 */
function listSuites() {
  /** @type {(name: string, args?: readonly string[]) => import('./suites.mjs').Suite['run']} */
  const script = (name, args = []) => programSuite(name, () => run(node, [`scripts/${name}.mjs`, ...args]));
  /** @type {(name: string, ...filters: readonly string[]) => import('./suites.mjs').Suite['run']} */
  const realTime = (name, ...filters) => vitestSuite(node, name, ['--project', 'realtime', ...filters]);
  /** @type {(name: string, ...files: readonly string[]) => import('./suites.mjs').Suite['run']} */
  const lab = (name, ...files) => vitestSuite(node, name, ['--config', 'e2e/lab/vitest.config.ts', ...files]);
  /** @type {(name: string, project: string, ...files: readonly string[]) => import('./suites.mjs').Suite['run']} */
  const browser = (name, project, ...files) =>
    playwrightSuite(node, name, ['--config', 'e2e/playwright.config.ts', '--project', project, ...files]);
  const serverFiles = ['apps/server/src', 'apps/cli/src'].flatMap((folder) =>
    filesIn(folder, '.realtime.test.ts'),
  );
  const matrix = 'apps/server/src/run/matrix.realtime.test.ts';
  const ordinaryRuns = 'apps/server/src/run/ordinary-runs.realtime.test.ts';
  const labFiles = filesIn('e2e/lab', '.test.ts');
  /** @param {string} file */
  const isFaults = (file) => file.endsWith('/faults.test.ts');
  return [
    {
      name: 'agent',
      proves: 'pacing, lateness, latency, CPU and byte counts of the load generator',
      run: realTime('agent', ...filesIn('packages/agent/src', '.realtime.test.ts')),
    },
    {
      name: 'server',
      proves: 'verdicts, clocks and throughput of real runs; the event loop stays free',
      run: realTime('server', ...serverFiles.filter((file) => file !== matrix && file !== ordinaryRuns)),
    },
    {
      name: 'matrix',
      proves: 'real runs in which every pair of levels that planning allows appears',
      run: realTime('matrix', matrix),
    },
    {
      name: 'quiet',
      proves: 'an ordinary run of each kind has its metrics and is not flagged on an idle machine',
      run: realTime('quiet', ordinaryRuns),
    },
    {
      name: 'tour',
      lane: 'programs',
      proves: 'the tour completes, alone and next to busy programs',
      run: browser('tour', 'tour'),
    },
    {
      name: 'capture',
      proves: 'suites, bytes, states and rates agree with a packet capture',
      run: browser('capture', 'capture'),
    },
    {
      name: 'docs',
      proves: 'commands of the documentation and the example pipelines end as they say',
      run: browser('docs', 'docs'),
    },
    {
      name: 'browser',
      lane: 'pages',
      proves: 'clients, brokers, recovery, start and stop in the browser',
      run: browser('browser', 'browser'),
    },
    {
      name: 'layout',
      lane: 'pages',
      proves:
        'no text is cut or covered on result pages with 2 to 60 treatments, nor in the documentation on a phone',
      run: browser('layout', 'layout'),
    },
    {
      name: 'studies',
      lane: 'pages',
      proves: 'every study at smoke scale, from the gallery to its result page',
      run: browser('studies', 'studies'),
    },
    {
      name: 'lab',
      lane: 'devices',
      proves: 'installation, upgrade, removal and runs on virtual Raspberry Pis',
      needsRoot: true,
      run: lab('lab', ...labFiles.filter((file) => !isFaults(file))),
    },
    {
      name: 'faults',
      lane: 'devices',
      proves: 'a fault in every phase of a run, for every role',
      needsRoot: true,
      run: lab('faults', ...labFiles.filter(isFaults)),
    },
    {
      name: 'lab-browser',
      lane: 'devices',
      proves: 'devices are added and used from the page; studies run over two links',
      needsRoot: true,
      run: browser('lab-browser', 'lab'),
    },
    {
      name: 'chaos',
      lane: 'devices',
      proves: 'seeded sequences of faults lose and double nothing',
      run: reportingSuite('chaos', (file) =>
        // With these seeds, every kind of fault occurs.
        run(node, ['scripts/chaos.mjs', '--seed', '334', '--sequences', '10', '--json', file]),
      ),
    },
    {
      name: 'coverage',
      lane: 'programs',
      proves: 'intervals and adjusted p-values hold their level in simulations of known truth',
      run: script('coverage'),
    },
    {
      name: 'api',
      lane: 'programs',
      proves: 'no made-up request makes the API answer with a server error',
      run: async () => {
        const fuzzer = await ensureFuzzer();
        if (fuzzer === null) return { passed: 0, failed: 1, failures: ['api: Schemathesis is missing'] };
        return reportingSuite('api', (file) =>
          fuzzApi(node, ['--program', fuzzer, '--coverage', '--seed', '2', '--json', file]),
        )();
      },
    },
    {
      name: 'pool',
      lane: 'devices',
      proves: '60 enrolled agents share 6,000 connections; one in ten is killed during the run',
      run: script('pool-test'),
    },
    {
      name: 'bundle',
      lane: 'programs',
      proves: 'independent readers open a research bundle and find the same figures',
      run: script('verify-bundle'),
    },
    {
      name: 'analysis',
      lane: 'programs',
      proves: 'notebook and R script compute the intervals of the API from the exported values',
      run: reportingSuite('analysis', (file) => run(node, ['scripts/test-analysis.mjs', '--json', file])),
    },
    {
      name: 'package',
      lane: 'programs',
      proves: 'the tarball installs from nothing, and runs the tour, a plan and a server',
      run: script('test-package'),
    },
    {
      name: 'kubernetes',
      lane: 'programs',
      proves: 'the Helm chart and the manifests are valid',
      run: script('test-kubernetes'),
    },
  ];
}
