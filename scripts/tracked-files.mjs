import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

/**
 * Reads the files of the project with these endings: tracked ones, and new ones that are not ignored.
 *
 * @param {RegExp} ending
 * @returns {{ file: string, lines: string[] }[]} paths relative to the root
 */
export function readFiles(ending) {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => ending.test(file) && existsSync(join(root, file)))
    .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n') }));
}
