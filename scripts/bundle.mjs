import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildAgent } from '../packages/agent/build.mjs';
import { describeLicences, foldersOf, licencesName } from './licences.mjs';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

// CommonJS packages inside an ES module bundle still ask for require and __dirname.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;";

/** Packages with compiled parts, which a bundle cannot contain. */
export const compiledPackages = ['@node-rs/argon2'];

/** Programs that the server starts as threads and processes, by the names of their bundles. */
const serverPrograms = {
  'answer-worker': 'apps/server/src/results/answer-worker.ts',
  'bundle-process': 'apps/server/src/exchange/bundle-process.ts',
  'bundle-writer': 'apps/server/src/exchange/bundle-writer.ts',
  'yaml-worker': 'apps/server/src/api/yaml-worker.ts',
  'meter-worker': 'apps/server/src/results/meter-worker.ts',
};

/**
 * Bundles each entry into a file of the folder. Resolves with the paths of the modules in them.
 *
 * @param {Readonly<Record<string, string>>} entries
 * @param {string} folder
 */
async function bundle(entries, folder) {
  const { metafile } = await build({
    entryPoints: Object.entries(entries).map(([name, entry]) => ({ in: join(root, entry), out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // ssh2 does without its compiled parts if they are missing.
    external: ['*.node', 'cpu-features', ...compiledPackages],
    banner: { js: banner },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  // The store reads it next to its module, in the source tree and in the bundle alike.
  copyFileSync(join(root, 'apps/server/src/store/schema.sql'), join(folder, 'schema.sql'));
  return Object.keys(metafile.inputs);
}

/**
 * Bundles the programs that the server starts, each into a file of the folder.
 *
 * @param {string} folder
 */
export const bundleServerPrograms = (folder) => bundle(serverPrograms, folder);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readArguments({
    usage: 'node scripts/bundle.mjs\n\nBundles server, command line and agent; part of npm run build.',
  });
  const main = { server: 'apps/server/src/main.ts', cli: 'apps/cli/src/main.ts' };
  const dist = join(root, 'dist');
  // The agent is one file, which is copied to devices.
  const [agent, programs] = await Promise.all([
    buildAgent({ outfile: join(dist, 'agent.mjs') }),
    bundle({ ...main, ...serverPrograms }, dist),
  ]);
  const folders = foldersOf([...agent.modules, ...programs]);
  writeFileSync(join(dist, licencesName), describeLicences(folders));
  // For the licences of the whole npm package.
  writeFileSync(join(dist, '.packages.json'), JSON.stringify(folders));
}
