import { readArguments } from './script-arguments.mjs';
import { readFiles } from './tracked-files.mjs';

readArguments({
  usage: 'node scripts/check-file-length.mjs\n\nNames files over their limit; part of npm run check.',
});

const limits = { source: 600, test: 800 };

const long = readFiles(/\.(ts|tsx|mjs)$/).flatMap(({ file, lines }) => {
  const limit = /\.(test|spec)\.tsx?$/.test(file) ? limits.test : limits.source;
  const count = lines.length - 1;
  return count > limit ? [`${file}: ${count} lines, limit ${limit}`] : [];
});
for (const line of long) console.log(line);
process.exitCode = long.length > 0 ? 1 : 0;
