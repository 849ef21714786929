import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { findWrongVersions, setVersions, versionPattern } from './versions.mjs';

const { values, positionals } = readArguments({
  usage: `npm run release -- VERSION [--dry-run] [--keep-pictures]

Sets the version everywhere, dates the section of CHANGELOG.md, retakes the pictures, writes release/mqttlab-VERSION.tgz,
commits and tags. It needs a clean tree, entries below "## Unreleased" or "## VERSION" in CHANGELOG.md, and an idle machine
for the pictures. It pushes nothing.

  --dry-run        checks everything and lists the changes without making them
  --keep-pictures  keeps the pictures of README and tutorial as they are`,
  options: {
    'dry-run': { type: 'boolean', default: false },
    'keep-pictures': { type: 'boolean', default: false },
  },
  maxPositionals: 1,
});

const dryRun = values['dry-run'] ?? false;
const keepsPictures = values['keep-pictures'] ?? false;
const [version = ''] = positionals;
const tag = `v${version}`;
const date = new Date().toISOString().slice(0, 10);

const problems = findProblems();
for (const problem of problems) console.error(`mqttlab: ${problem}`);
if (problems.length > 0) process.exit(1);
const changed = [...new Set([...setVersions(version, { dryRun }), ...setDates()])];
console.log(`${dryRun ? 'Would set' : 'Set'} version ${version} in ${changed.length} files:`);
for (const path of changed) console.log(`  ${path}`);
if (dryRun) {
  if (!keepsPictures) console.log('Would retake the pictures of README and tutorial.');
  console.log(`Would write release/mqttlab-${version}.tgz, commit "Release ${version}" and tag ${tag}.`);
  process.exit(0);
}
const { node } = prepare();
if (!keepsPictures && (await run(node, ['scripts/pictures.mjs'])) !== 0) {
  stop('the pictures failed; the versions are set.');
}
if ((await run(node, ['scripts/package.mjs'])) !== 0) stop('the package failed; the versions are set.');
if (changed.length > 0) git('commit', '--all', '--quiet', '--message', `Release ${version}`);
git('tag', '--annotate', '--message', `mqttlab ${version}`, tag);
console.log(`Tagged ${tag}. "git push --follow-tags" publishes it.`);

/** Returns everything that prevents the release. */
function findProblems() {
  if (!versionPattern.test(version)) return [`"${version}" is not a version; write it like 1.0.0.`];
  const sections = dateChanges(readText('CHANGELOG.md')).split(/^## /m);
  const isDescribed = sections.some((text) => text.startsWith(`${version} - ${date}\n`) && /^- /m.test(text));
  return [
    ...(git('status', '--porcelain') === '' ? [] : ['there are changes that are not committed.']),
    ...(git('tag', '--list', tag) === '' ? [] : [`the tag ${tag} exists.`]),
    ...(isDescribed ? [] : [`CHANGELOG.md has no entries below "## Unreleased" or "## ${version}".`]),
    ...findWrongVersions(),
  ];
}

/** Writes the date of the release. Returns the paths of the changed files. */
function setDates() {
  const texts = {
    'CHANGELOG.md': dateChanges(readText('CHANGELOG.md')),
    'CITATION.cff': readText('CITATION.cff').replace(/^date-released: .*$/m, `date-released: ${date}`),
  };
  return Object.entries(texts).flatMap(([path, text]) => {
    if (text === readText(path)) return [];
    if (!dryRun) writeFileSync(join(root, path), text);
    return [path];
  });
}

/**
 * Dates the section of the version, or that of the changes that are not released.
 *
 * @param {string} text
 */
function dateChanges(text) {
  const ofVersion = new RegExp(`^## ${version.replaceAll('.', String.raw`\.`)}(?![\\w.-]).*$`, 'm');
  return text.replace(ofVersion.test(text) ? ofVersion : /^## Unreleased$/m, `## ${version} - ${date}`);
}

/** @param {string} path */
function readText(path) {
  return readFileSync(join(root, path), 'utf8');
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
