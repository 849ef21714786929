import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

/** Three numbers, perhaps with the name of a pre-release: "1.0.0", "1.1.0-rc.1". */
export const versionPattern = /^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/;

const anyVersion = String.raw`\d+\.\d+\.\d+(?:-[0-9a-z.]+)?`;

/**
 * A line of a file with the version in it. VERSION stands for it in the pattern.
 *
 * @typedef {{ path: string, pattern: string }} Place
 */

/** Versions of the workspaces, and of the workspaces that they depend on. */
const ofWorkspace = ['^  "version": "VERSION"', '^    "@mqttlab/[a-z]+": "\\^?VERSION"'];

/** @returns {Place[]} */
function listPlaces() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return [
    { path: 'package.json', pattern: '^  "version": "VERSION"' },
    ...foldersOf(workspaces).flatMap((folder) =>
      ofWorkspace.map((pattern) => ({ path: `${folder}/package.json`, pattern })),
    ),
    // At the top, of the root, and of workspaces: their entries have no address of a registry.
    {
      path: 'package-lock.json',
      pattern: '"name": "(?:mqttlab|@mqttlab/[a-z0-9-]+)",\\s+"version": "VERSION"',
    },
    { path: 'package-lock.json', pattern: '"@mqttlab/[a-z]+": "\\^?VERSION"' },
    { path: 'CITATION.cff', pattern: '^version: VERSION' },
    { path: 'docker/compose.yaml', pattern: '^    image: mqttlab:VERSION' },
    { path: 'docker/helm/mqttlab/Chart.yaml', pattern: '^(?:appV|v)ersion: VERSION' },
    { path: 'docker/helm/mqttlab/values.yaml', pattern: '^  tag: "VERSION"' },
    { path: 'docker/kubernetes/mqttlab.yaml', pattern: 'image: "mqttlab:VERSION"' },
  ];
}

/** @param {readonly string[]} workspaces */
function foldersOf(workspaces) {
  return workspaces.flatMap((workspace) =>
    workspace.endsWith('/*')
      ? readdirSync(join(root, workspace.slice(0, -2))).map((name) => `${workspace.slice(0, -1)}${name}`)
      : [workspace],
  );
}

/** @param {string} pattern */
const expressionOf = (pattern) =>
  new RegExp(pattern.replace('VERSION', `(?<version>${anyVersion})(?![\\w.-])`), 'gm');

/**
 * Returns what is wrong with the versions of the project; package.json is the source.
 *
 * @returns {string[]}
 */
export function findWrongVersions() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return listPlaces().flatMap(({ path, pattern }) => {
    const found = [...readFileSync(join(root, path), 'utf8').matchAll(expressionOf(pattern))];
    const isOptional = pattern.includes('@mqttlab/[a-z]+": ');
    if (found.length === 0 && !isOptional) return [`${path} has no version like ${pattern}`];
    return found.flatMap(({ groups }) =>
      groups?.version === version ? [] : [`${path} has version ${groups?.version}, package.json ${version}`],
    );
  });
}

/**
 * Writes the version everywhere. Returns the paths of the changed files; writes none of them if `dryRun` is true.
 *
 * @param {string} version
 * @param {{ dryRun: boolean }} options
 */
export function setVersions(version, { dryRun }) {
  /** @type {Set<string>} */
  const changed = new Set();
  for (const { path, pattern } of listPlaces()) {
    const text = readFileSync(join(root, path), 'utf8');
    const next = text.replaceAll(expressionOf(pattern), (found, old) => found.replace(old, version));
    if (next === text) continue;
    changed.add(path);
    if (!dryRun) writeFileSync(join(root, path), next);
  }
  return [...changed];
}
