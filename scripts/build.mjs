import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDocs, docsFolder } from './build-docs.mjs';
import { licencesName } from './licences.mjs';
import { prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const dist = join(root, 'dist');
const outputs = {
  server: join(dist, 'server.mjs'),
  cli: join(dist, 'cli.mjs'),
  agent: join(dist, 'agent.mjs'),
  answerWorker: join(dist, 'answer-worker.mjs'),
  bundleProcess: join(dist, 'bundle-process.mjs'),
  bundleWriter: join(dist, 'bundle-writer.mjs'),
  yamlWorker: join(dist, 'yaml-worker.mjs'),
  meterWorker: join(dist, 'meter-worker.mjs'),
  schema: join(dist, 'schema.sql'),
  licences: join(dist, licencesName),
  web: join(root, 'apps', 'web', 'dist'),
  docs: docsFolder,
};
const sources = [
  'packages/shared/src',
  'packages/charts/src',
  'packages/studies/src',
  'packages/agent/src',
  'apps/server/src',
  'apps/cli/src',
  'apps/web/src',
  'docs',
];
const singles = [
  'package-lock.json',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'scripts/bundle.mjs',
  'scripts/licences.mjs',
  'scripts/build-docs.mjs',
  'scripts/doc-pages.mjs',
];

/**
 * Builds server, command line, agent and page, unless the last build has the same sources.
 *
 * @param {string} node
 */
export async function ensureBuild(node) {
  const stamp = join(dist, '.built');
  const wanted = fingerprint();
  const there = Object.values(outputs).every((path) => existsSync(path));
  if (there && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return outputs;
  console.error('Building ...');
  mkdirSync(dist, { recursive: true });
  const steps = await Promise.all([
    run(node, ['scripts/bundle.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] }),
    run(node, ['node_modules/vite/bin/vite.js', 'build', 'apps/web', '--logLevel', 'warn'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  ]);
  // Vite empties the folder of the page, which contains the documentation.
  steps.push(await buildDocs(node));
  if (steps.some((code) => code !== 0)) {
    console.error('mqttlab: the build failed; its output is above.');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
  return outputs;
}

/** Hashes names, sizes and times of every source file: finds a change, and is fast enough for every start. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const single of singles) note(hash, join(root, single));
  for (const folder of sources) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      note(hash, join(root, folder, entry));
    }
  }
  return hash.digest('hex');
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 */
function note(hash, path) {
  if (!existsSync(path)) return;
  const about = statSync(path);
  if (about.isFile()) hash.update(`${path}\0${about.size}\0${about.mtimeMs}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readArguments({ usage: 'npm run build\n\nBuilds server, command line, agent and page into dist.' });
  const { node } = prepare();
  await ensureBuild(node);
}
