import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './find-node.mjs';
import { messageOf, prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { positionals } = readArguments({
  usage: `npm run golden [-- FILE ...]

Compares the statistics with files of reference vectors; without FILE, with those in packages/shared/golden.`,
  maxPositionals: Number.POSITIVE_INFINITY,
});

const shownPerCase = 10;

/** Returns the path of a Node that runs TypeScript. Installs the packages, which contain one, if there is none. */
function findOrInstallNode() {
  try {
    return findNode(root);
  } catch {
    return prepare().node;
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function stopWith(message) {
  console.error(`golden: ${message}`);
  process.exit(2);
}

/** @param {string} path */
function readVectors(path) {
  const text = readOrStop(path);
  try {
    return JSON.parse(text);
  } catch (error) {
    return stopWith(`${path} is not JSON: ${messageOf(error)}`);
  }
}

/** @param {string} path */
function readOrStop(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : messageOf(error);
    return stopWith(`cannot read ${path}: ${code}`);
  }
}

/** @param {unknown} value */
function show(value) {
  return JSON.stringify(value) ?? String(value);
}

/**
 * Compares the statistics with files of reference vectors. Prints the differences; exit code 1 if there are any.
 *
 * @param {readonly string[]} paths
 */
async function main(paths) {
  const { runGolden } = await import('../packages/shared/src/testing/golden/run-golden.ts');
  const { GoldenFormatError } = await import('../packages/shared/src/testing/golden/golden-file.ts');
  const outcomes = paths.flatMap((path) => {
    try {
      return runGolden(readVectors(path));
    } catch (error) {
      if (error instanceof GoldenFormatError) return stopWith(`${path}: ${error.message}`);
      throw error;
    }
  });
  const failed = outcomes.filter((outcome) => outcome.mismatches.length > 0);
  for (const { section, id, mismatches } of failed) {
    for (const { field, expected, got } of mismatches.slice(0, shownPerCase)) {
      console.log(`FAIL ${section} ${id}: ${field} expected ${show(expected)}, got ${show(got)}`);
    }
    const hidden = mismatches.length - shownPerCase;
    if (hidden > 0) console.log(`FAIL ${section} ${id}: and ${hidden} more fields`);
  }
  for (const section of new Set(outcomes.map((outcome) => outcome.section))) {
    const own = outcomes.filter((outcome) => outcome.section === section);
    console.log(
      `${section}: ${own.filter((outcome) => outcome.mismatches.length === 0).length} of ${own.length}`,
    );
  }
  console.log(`${outcomes.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}

const folder = join(root, 'packages/shared/golden');
const files =
  positionals.length > 0
    ? positionals
    : ['public', 'positive'].map((name) => join(folder, `golden-${name}.json`));
const node = findOrInstallNode();
if (node === process.execPath) await main(files);
else
  process.exit(spawnSync(node, [fileURLToPath(import.meta.url), ...files], { stdio: 'inherit' }).status ?? 1);
