import { readArguments } from './script-arguments.mjs';
import { findWrongVersions } from './versions.mjs';

readArguments({
  usage:
    'node scripts/check-versions.mjs\n\nCompares the version in every file that has one with package.json; part of npm run check.',
});

const wrong = findWrongVersions();
for (const line of wrong) console.error(line);
if (wrong.length > 0) console.error('"npm run release -- VERSION" sets them all.');
process.exitCode = wrong.length > 0 ? 1 : 0;
