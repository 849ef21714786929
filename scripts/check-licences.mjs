import { createRequire } from 'node:module';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage:
    'node scripts/check-licences.mjs\n\nNames packages with a licence not on the list; part of npm run check.',
});

/** Licences that an Apache-2.0 product may carry or be built with. */
const allowed = [
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-3.0',
  'Unlicense',
  'Python-2.0',
  'OFL-1.1',
  'MPL-2.0',
  'WTFPL',
  'Zlib',
];

/**
 * @typedef {(error: Error | null, packages: Record<string, { licenses: string | string[] }>) => void} OnPackages
 * @type {{ init(options: { start: string, excludePrivatePackages: boolean }, done: OnPackages): void }}
 */
const checker = createRequire(import.meta.url)('license-checker-rseidelsohn');

checker.init({ start: root, excludePrivatePackages: true }, (error, packages) => {
  if (error) {
    console.log(error.message);
    process.exit(1);
  }
  const foreign = Object.entries(packages).filter(([, about]) => !isAllowed(about.licenses));
  for (const [name, about] of foreign) console.log(`${name}: ${about.licenses}`);
  console.log(`${Object.keys(packages).length} packages, ${foreign.length} with a licence not on the list`);
  process.exitCode = foreign.length > 0 ? 1 : 0;
});

/**
 * "(MIT OR X)" needs one, "(MIT AND X)" all of its parts on the list. A trailing star marks a guess from the text.
 *
 * @param {string | readonly string[]} licences
 * @returns {boolean}
 */
function isAllowed(licences) {
  const text = String(licences).replace(/[()*]/g, '');
  if (text.includes(' OR ')) return text.split(' OR ').some(isAllowed);
  return text.split(/ AND |,/).every((part) => allowed.includes(part.trim()));
}
