import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: 'node scripts/check-file-length.mjs\n\nNames files over their limit; part of npm run check.',
});

const limits = { source: 600, test: 800 };

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file));

const long = files.flatMap((file) => {
  const limit = /\.(test|spec)\.tsx?$/.test(file) ? limits.test : limits.source;
  const lines = linesOf(file);
  return lines > limit ? [`${file}: ${lines} lines, limit ${limit}`] : [];
});
for (const line of long) console.log(line);
process.exitCode = long.length > 0 ? 1 : 0;

/** @param {string} file */
function linesOf(file) {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}
