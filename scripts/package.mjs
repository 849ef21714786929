import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { buildDocs } from './build-docs.mjs';
import { describeLicences, findDependency, foldersOf, licencesName } from './licences.mjs';
import { prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { readAddress } from './write-addresses.mjs';

readArguments({
  usage: `npm run package

Writes release/mqttlab-VERSION.tgz: one npm package with server, page, agent, command line and documentation.`,
});

const { node } = prepare();
// Needs packages that `prepare` installs.
const { compiledPackages } = await import('./bundle.mjs');
const release = join(root, 'release');
const folder = join(release, 'package');
const page = join(folder, 'apps', 'web', 'dist');
const about = readJson('package.json');
const lock = readJson('package-lock.json').packages;

await ensureBuild(node);
rmSync(release, { recursive: true, force: true });
copyTexts('dist', /\.(mjs|sql)$/);
copyTexts('apps/web/dist', /^(?!docs|\.vite)/);
copyTexts('examples', /\.(yaml|json)$/);
for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE', 'CITATION.cff']) {
  cpSync(join(root, name), join(folder, name));
}
await bundleProgram();
const modules = await writeDocs();
writeLicences(modules);
writeRuntimes();
writeJson('package.json', describePackage());
const code = await run(
  'npm',
  ['pack', folder, '--pack-destination', release, '--silent', '--ignore-scripts'],
  { stdio: ['ignore', 'ignore', 'inherit'] },
);
if (code !== 0) fail('npm pack failed; its output is above.');
console.log(join('release', `mqttlab-${about.version}.tgz`));

/** @param {string} message */
function fail(message) {
  console.error(`mqttlab: ${message}`);
  process.exit(1);
}

/** @param {string} path */
function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/**
 * @param {string} path
 * @param {unknown} value
 */
function writeJson(path, value) {
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
}

/** Names of the packages with a Node binary. */
function runtimes() {
  return Object.keys(about.optionalDependencies);
}

/** Writes versions and checksums of the Node binaries in the form of the lock file, which npm leaves out of packages. */
function writeRuntimes() {
  const paths = runtimes().map((name) => `node_modules/${name}`);
  writeJson('dist/runtimes.json', { packages: Object.fromEntries(paths.map((path) => [path, lock[path]])) });
}

/**
 * Copies the files of a folder whose path in it matches. Texts that name the commands of a clone name those of the
 * package instead.
 *
 * @param {string} from
 * @param {RegExp} wanted
 */
function copyTexts(from, wanted) {
  const files = readdirSync(join(root, from), { recursive: true, withFileTypes: true });
  for (const file of files) {
    const source = join(file.parentPath, file.name);
    const path = source.slice(join(root, from).length + 1);
    if (!file.isFile() || !wanted.test(path)) continue;
    const target = join(folder, from, path);
    mkdirSync(dirname(target), { recursive: true });
    if (!['.mjs', '.js', '.yaml'].includes(extname(path))) cpSync(source, target);
    else writeFileSync(target, nameProgram(readFileSync(source, 'utf8')));
  }
}

/** @param {string} text */
function nameProgram(text) {
  return text
    .replaceAll(/npm run (?:-s |--silent )?mqttlab -- /g, 'mqttlab ')
    .replaceAll('npm run demo', 'mqttlab demo')
    .replaceAll('npm start', 'mqttlab start');
}

/** The program that npm links as "mqttlab". It finds a Node 24 and runs everything else with it. */
async function bundleProgram() {
  const { build } = await import('esbuild');
  await build({
    entryPoints: [join(root, 'scripts', 'package', 'bin.mjs')],
    outfile: join(folder, 'bin', 'mqttlab.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
}

/** Builds the documentation with the commands of the package. Returns the paths of its modules. */
async function writeDocs() {
  const file = join(release, 'modules.json');
  process.env.MQTTLAB_DOCS_PROGRAM = 'mqttlab';
  process.env.MQTTLAB_DOCS_MODULES = file;
  if ((await buildDocs(node, join(page, 'docs'))) !== 0) fail('VitePress failed; its output is above.');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * Writes the licences of programs, page and documentation into one file. The bundle of the agent has its own file, with
 * those of all programs.
 *
 * @param {readonly string[]} docsModules
 */
function writeLicences(docsModules) {
  cpSync(join(root, 'dist', licencesName), join(folder, 'dist', licencesName));
  /** @type {{ name: string }[]} */
  const ofPage = readJson('apps/web/dist/.vite/licences.json');
  const fonts = Object.keys(readJson('apps/web/package.json').dependencies).filter((name) =>
    name.startsWith('@fontsource'),
  );
  const folders = [
    ...readJson('dist/.packages.json'),
    ...[...ofPage.map(({ name }) => name), ...fonts].map((name) => findDependency('apps/web', name)),
    ...foldersOf(docsModules),
    join(root, 'node_modules', 'swagger-ui-dist'),
  ];
  writeFileSync(join(folder, licencesName), describeLicences(folders));
}

/** package.json of the package: only what cannot be bundled is a dependency, in the version of the lock file. */
function describePackage() {
  const { name, version, description, keywords, license, repository, type, engines } = about;
  const address = readAddress();
  /** @param {string} dependency */
  const versionOf = (dependency) => lock[`node_modules/${dependency}`].version;
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...(address !== '' && { repository, homepage: address, bugs: `${address}/issues` }),
    type,
    bin: { mqttlab: 'bin/mqttlab.mjs' },
    engines,
    dependencies: Object.fromEntries(compiledPackages.map((one) => [one, versionOf(one)])),
    optionalDependencies: Object.fromEntries(runtimes().map((one) => [one, versionOf(one)])),
  };
}
