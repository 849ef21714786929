import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { prepare, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const usage = `npm run plant-bugs [-- --seed N --count N --list]

Changes one expression of the product code at a time, at places chosen at random from the seed, and prints which
changes npm test catches: first its type checks and the tests that import the changed file; if they pass, all of it.
Needs a clean checkout; every change is undone.

  --seed N   of the places (1)
  --count N  changes (10)
  --list     only prints the changes`;

const { values } = readArguments({
  usage,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '10' },
    list: { type: 'boolean', default: false },
  },
});

const { node } = prepare();
const { default: ts } = await import('typescript');

/** Operators that are replaced by their counterparts. */
/** @type {ReadonlyMap<import('typescript').SyntaxKind, string>} */
const swaps = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
]);

const random = makeRandom(Number(values.seed));
const files = git('ls-files', 'packages', 'apps')
  .split('\n')
  .filter(
    (file) => /^\w+\/\w+\/src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|\/(testing|simulation)\//.test(file),
  );

/** @typedef {{ from: number, to: number, by: string }} Place */

/** @type {(Place & { file: string })[]} */
const changes = [];
while (changes.length < Number(values.count)) {
  const file = files[Math.floor(random() * files.length)] ?? '';
  const places = placesIn(file);
  const place = places[Math.floor(random() * places.length)];
  if (place !== undefined) changes.push({ file, ...place });
}

let caught = 0;
for (const [index, change] of changes.entries()) {
  const text = readFileSync(change.file, 'utf8');
  const changed = text.slice(0, change.from) + change.by + text.slice(change.to);
  writeFileSync(change.file, changed);
  try {
    console.log(`\n--- ${index + 1} of ${changes.length}: ${change.file}`);
    console.log(git('diff', '-U0', '--', change.file).split('\n').slice(5).join('\n').trimEnd());
    if (values.list) continue;
    const by = whatCatches(change.file);
    if (by !== null) caught += 1;
    console.log(by === null ? 'NOT CAUGHT' : `caught by ${by}`);
  } finally {
    writeFileSync(change.file, text);
  }
}
if (!values.list) console.log(`\n${caught} of ${changes.length} caught (seed ${values.seed})`);

/**
 * Returns what fails with the changed file; null if nothing does.
 *
 * @param {string} file
 */
function whatCatches(file) {
  const types = file.startsWith('apps/web/') ? 'apps/web' : '.';
  const vitest = ['node_modules/vitest/vitest.mjs', 'related', file, '--run', '--bail', '1'];
  /** @type {readonly (readonly [string, readonly string[], RegExp])[]} */
  const steps = [
    ['types', ['node_modules/typescript-native/bin/tsc', '-p', types], /error TS\d+: .*/],
    ['a test', [...vitest, '--project', 'pure', '--project', 'devices'], /FAIL .*/],
    ['npm test', ['scripts/test.mjs', '--fail-fast'], /^failed: .*/m],
  ];
  for (const [name, args, line] of steps) {
    const { status, stdout } = spawnSync(node, args, {
      encoding: 'utf8',
      maxBuffer: 1e9,
      cwd: root,
      env: { ...process.env, NO_COLOR: '1' },
    });
    if (status !== 0) return `${name}: ${line.exec(stdout)?.[0] ?? 'no line'}`;
  }
  return null;
}

/**
 * Lists the places of the file that can be changed: operators and conditions. Imports and types are not changed.
 *
 * @param {string} file
 */
function placesIn(file) {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  /** @type {Place[]} */
  const found = [];
  /** @param {import('typescript').Node} at */
  const visit = (at) => {
    if (ts.isTypeNode(at) || ts.isImportDeclaration(at) || ts.isInterfaceDeclaration(at)) return;
    if (ts.isBinaryExpression(at)) {
      const by = swaps.get(at.operatorToken.kind);
      const isText = [at.left, at.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (by && !(isText && /[-+*/]/.test(by))) {
        found.push({ from: at.operatorToken.getStart(), to: at.operatorToken.getEnd(), by });
      }
    }
    const condition = ts.isIfStatement(at)
      ? at.expression
      : ts.isConditionalExpression(at)
        ? at.condition
        : null;
    if (condition) {
      found.push({ from: condition.getStart(), to: condition.getEnd(), by: `!(${condition.getText()})` });
    }
    ts.forEachChild(at, visit);
  };
  visit(source);
  return found;
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', cwd: root });
}

/**
 * Mulberry32: the same numbers for the same seed.
 *
 * @param {number} seed
 */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
