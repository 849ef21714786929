import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `node scripts/check-folders.mjs [--sizes]

Lists files that import each other in a circle (types included) and folders that import each other; part of npm run
check. --sizes prints how much product code there is.`,
  options: { sizes: { type: 'boolean', default: false } },
});

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages', 'apps'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /^(packages|apps)\/\w+\/src\/.*\.tsx?$/.test(file) && existsSync(file))
  .filter((file) => !/\.test\.tsx?$|\/(testing|simulation)\//.test(file));
const known = new Set(files);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

const found = [...circles(), ...mutualFolders()];
for (const line of found) console.log(line);
if (values.sizes) printSizes();
process.exitCode = found.length > 0 ? 1 : 0;

function importsOf(file) {
  const text = readFileSync(file, 'utf8');
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, path]) => path);
  const paths = named.map((path) =>
    path.startsWith('@mqttlab/')
      ? path.replace(/^@mqttlab\/(shared|charts|studies)\/(.*)$/, 'packages/$1/src/$2.ts')
      : normalize(join(dirname(file), path)),
  );
  return [...new Set(paths.filter((path) => known.has(path)))];
}

/** Strongly connected components of more than one file (Tarjan 1972). */
function circles() {
  const state = new Map();
  const stack = [];
  const lines = [];
  const visit = (file) => {
    const own = { index: state.size, low: state.size, isOpen: true };
    state.set(file, own);
    stack.push(file);
    for (const next of imports.get(file)) {
      if (!state.has(next)) visit(next);
      const other = state.get(next);
      if (other.isOpen) own.low = Math.min(own.low, other.low);
    }
    if (own.low < own.index) return;
    const members = stack.splice(stack.indexOf(file));
    for (const member of members) state.get(member).isOpen = false;
    if (members.length > 1) lines.push(`a circle of imports: ${members.join(', ')}`);
  };
  for (const file of files) if (!state.has(file)) visit(file);
  return lines;
}

/** A folder and one inside it are one room: only those beside each other count. */
function mutualFolders() {
  const between = new Map();
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const pair = `${dirname(file)} ${dirname(target)}`;
      if (!between.has(pair)) between.set(pair, `${file} -> ${target}`);
    }
  }
  return [...between].flatMap(([pair, way]) => {
    const [from, to] = pair.split(' ');
    const back = between.get(`${to} ${from}`);
    const isNested = `${from}/`.startsWith(`${to}/`) || `${to}/`.startsWith(`${from}/`);
    return from < to && back && !isNested ? [`two folders import each other: ${way}; ${back}`] : [];
  });
}

function printSizes() {
  for (const workspace of new Set(files.map((file) => file.split('/').slice(0, 2).join('/')))) {
    const own = files.filter((file) => file.startsWith(`${workspace}/`));
    const lines = own.reduce((total, file) => total + readFileSync(file, 'utf8').split('\n').length - 1, 0);
    console.log(`${workspace}: ${lines} lines in ${own.length} files`);
  }
}
