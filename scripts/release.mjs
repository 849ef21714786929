import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { findWrongVersions, setVersions, versionPattern } from './versions.mjs';

const { values, positionals } = readArguments({
  usage: `npm run release -- VERSION [--dry-run]

Sets the version everywhere, writes release/mqttlab-VERSION.tgz, commits and tags. It needs a clean tree and a section for
the version in CHANGELOG.md, and pushes nothing.

  --dry-run  checks everything and lists the changes without making them`,
  options: { 'dry-run': { type: 'boolean', default: false } },
  maxPositionals: 1,
});

const dryRun = values['dry-run'] ?? false;
const [version = ''] = positionals;
const tag = `v${version}`;
const date = new Date().toISOString().slice(0, 10);

const problems = findProblems();
for (const problem of problems) console.error(`mqttlab: ${problem}`);
if (problems.length > 0) process.exit(1);
const changed = [...new Set([...setVersions(version, { dryRun }), ...setDate()])];
console.log(`${dryRun ? 'Would set' : 'Set'} version ${version} in ${changed.length} files:`);
for (const path of changed) console.log(`  ${path}`);
if (dryRun) {
  console.log(`Would write release/mqttlab-${version}.tgz, commit "Release ${version}" and tag ${tag}.`);
  process.exit(0);
}
const { node } = prepare();
if ((await run(node, ['scripts/package.mjs'])) !== 0) stop('the package failed; the versions are set.');
if (changed.length > 0) git('commit', '--all', '--quiet', '--message', `Release ${version}`);
git('tag', '--annotate', '--message', `mqttlab ${version}`, tag);
console.log(`Tagged ${tag}. "git push --follow-tags" publishes it.`);

/** Returns everything that prevents the release. */
function findProblems() {
  if (!versionPattern.test(version)) return [`"${version}" is not a version; write it like 1.0.0.`];
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').matchAll(/^## \[?v?([^\]\s]+)/gm);
  const isDescribed = [...sections].some(([, name]) => name === version);
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['there are changes that are not committed.']),
    ...(git('tag', '--list', tag) === '' ? [] : [`the tag ${tag} exists.`]),
    ...(isDescribed ? [] : [`CHANGELOG.md has no section "## ${version}".`]),
    ...findWrongVersions(),
  ];
}

/** Writes the date of the release. Returns the paths of the changed files. */
function setDate() {
  const path = join(root, 'CITATION.cff');
  const text = readFileSync(path, 'utf8');
  const next = text.replace(/^date-released: .*$/m, `date-released: ${date}`);
  if (next !== text && !dryRun) writeFileSync(path, next);
  return next === text ? [] : ['CITATION.cff'];
}

/** @param {readonly string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) stop(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}

/**
 * @param {string} message
 * @returns {never}
 */
function stop(message) {
  console.error(`mqttlab: ${message}`);
  process.exit(1);
}
