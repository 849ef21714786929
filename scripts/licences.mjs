import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './project.mjs';

export const licencesName = 'THIRD-PARTY-LICENCES.txt';

/** Names of files with the licence of a package, or with the notices that its licence requires. */
const licenceFile = /^(licen[cs]e|copying|notice)([.-].*)?$/i;

/**
 * Returns the folders of the npm packages that these modules are part of.
 *
 * @param {readonly string[]} modules paths, absolute or relative to the root
 */
export function foldersOf(modules) {
  const folders = modules.flatMap((module) => {
    const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll('\0', '')) ?? [];
    return folder === undefined ? [] : [resolve(root, folder)];
  });
  return [...new Set(folders)];
}

/**
 * Returns the name, version and licence of each package, with the texts of its licence files.
 *
 * @param {readonly string[]} folders
 */
export function describeLicences(folders) {
  const entries = folders.map(describePackage);
  // A package may be installed in several folders.
  const unique = [...new Map(entries.map((entry) => [entry.title, entry])).values()];
  unique.sort((one, other) => (one.title < other.title ? -1 : 1));
  return [
    'Software of others in this folder, with its licences.',
    ...unique.map(({ title, text }) => `${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text}`),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @param {string} folder */
function describePackage(folder) {
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version } = about;
  const texts = readdirSync(folder)
    .filter((file) => licenceFile.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // Old packages have objects, or a list of them.
  const license = about.license ?? about.licenses?.[0];
  const stated = license?.type ?? license ?? 'not stated';
  return {
    title: `${name} ${version} (${stated})`,
    text:
      texts.length > 0
        ? texts.join('\n\n')
        : `The package has no licence file; package.json states ${stated}.`,
  };
}

/**
 * Returns the folder of a package that a workspace depends on.
 *
 * @param {string} workspace
 * @param {string} name
 */
export function findDependency(workspace, name) {
  const own = join(root, workspace, 'node_modules', name);
  return existsSync(own) ? own : join(root, 'node_modules', name);
}
