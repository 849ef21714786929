import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { continueInNode24, root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run structure [-- --at REV --json --list]

Prints figures about the structure of the product code, with their definitions.

  --at REV  the tree of a commit instead of the working tree
  --json    figures as JSON
  --list    also every counted file or declaration`,
  options: {
    at: { type: 'string' },
    json: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

continueInNode24();
const { default: ts } = await import('typescript');

/** Packages whose structure the figures below describe. */
const measured = ['apps/server', 'apps/cli', 'packages/agent'];
const maxFields = 8;

/** @typedef {{ path: string, text: string }} SourceFile */
/** @typedef {{ name: string, definition: string, hits: readonly string[] }} Figure */

const sources = values.at === undefined ? readTree() : readCommit(values.at);
const product = sources.filter(({ path }) => isProduct(path));
const own = product.filter(({ path }) => measured.some((folder) => path.startsWith(`${folder}/`)));
const importersOf = findImporters(product);
const single = own.filter(({ path }) => importersOf.get(path)?.size === 1).map(({ path }) => path);

/** @type {Figure[]} */
const figures = [
  {
    name: 'files with exactly one importer',
    definition:
      'Product files of the measured packages that exactly one other product file of the repository imports, types and dynamic imports included.',
    hits: single,
  },
  {
    name: 'of these in the folder of their importer',
    definition: 'The importer is in the same folder, not in one below or above.',
    hits: single.filter((path) => dirname([...(importersOf.get(path) ?? [])][0] ?? '') === dirname(path)),
  },
  {
    name: 'backoffs',
    definition:
      'Expressions that double a delay up to a maximum: Math.min with a product by 2 or a power of 2, assigned to or declared as a name with "wait", "pause", "delay" or "backoff".',
    hits: own.flatMap(findBackoffs),
  },
  {
    name: 'child-process wrappers',
    definition:
      'Functions and classes (module level) that call spawn, fork, exec or execFile of node:child_process.',
    hits: own.flatMap(findChildWrappers),
  },
  {
    name: 'error classes',
    definition: 'Classes that extend Error, or a class whose name ends with Error or Failure.',
    hits: withKit(own).flatMap(findErrorClasses),
  },
  {
    name: 'waiting primitives',
    definition:
      'Distinct names of module-level functions and of methods that return a promise and begin with wait, until, when, within, poll, sleep or pause, or are called gathered, arrived or orAborted; and of classes called Latch, Requests, or with Pending, Owed or Waiter in their name.',
    hits: distinct(withKit(own).flatMap(findWaiting)),
  },
  {
    name: `dependency bags with more than ${maxFields} fields`,
    definition: `Interfaces and object types with more than ${maxFields} direct members, whose name ends with Options, Dependencies, Parts, Needs, Services, Ports, Context or Rig, or that is the inline type of a parameter, and that have at least two members that are functions or types with functions.`,
    hits: findBags(own),
  },
];

print();

function print() {
  const perPackage = [...Map.groupBy(product, ({ path }) => path.split('/').slice(0, 2).join('/'))]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, files]) => ({ name, files: files.length, lines: countLines(files) }));
  const total = { name: measured.join(' + '), files: own.length, lines: countLines(own) };
  if (values.json) {
    const counts = figures.map(({ name, hits }) => ({
      name,
      count: hits.length,
      ...(values.list && { hits }),
    }));
    console.log(
      JSON.stringify({ at: values.at ?? null, packages: perPackage, total, figures: counts }, null, 2),
    );
    return;
  }
  console.log(
    `Product code: *.ts and *.tsx below src/ of a package, without tests, folders named "testing" and declarations (*.d.ts).\nLines: all lines of these files.\n`,
  );
  for (const { name, files, lines } of [...perPackage, total]) {
    console.log(`${String(files).padStart(6)} files ${String(lines).padStart(7)} lines  ${name}`);
  }
  console.log(`\nFigures of ${total.name}:\n`);
  for (const { name, definition, hits } of figures) {
    console.log(`${String(hits.length).padStart(6)} ${name}\n       ${definition}`);
    if (values.list) for (const hit of hits) console.log(`         ${hit}`);
  }
}

/** @param {string} path */
function isProduct(path) {
  return (
    /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(path) &&
    !/\.test\.tsx?$|\.d\.ts$|(^|\/)testing\//.test(path)
  );
}

/** @returns {SourceFile[]} */
function readTree() {
  return ['packages', 'apps'].flatMap((top) =>
    readdirSync(join(root, top)).flatMap((name) => {
      const folder = join(top, name, 'src');
      try {
        return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
          .map((path) => posix.join(folder, path))
          .filter(isProduct)
          .sort()
          .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
      } catch {
        return [];
      }
    }),
  );
}

/**
 * @param {string} revision
 * @returns {SourceFile[]}
 */
function readCommit(revision) {
  /** @type {(args: string[], input?: string) => Buffer} */
  const git = (args, input) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30, input });
  const paths = git(['ls-tree', '-r', '--name-only', revision, 'packages', 'apps'])
    .toString()
    .split('\n')
    .filter(isProduct);
  const answer = git(['cat-file', '--batch'], paths.map((path) => `${revision}:${path}\n`).join(''));
  let at = 0;
  return paths.map((path) => {
    const end = answer.indexOf('\n', at);
    const length = Number(answer.toString('utf8', at, end).split(' ')[2]);
    const text = answer.toString('utf8', end + 1, end + 1 + length);
    at = end + 1 + length + 1;
    return { path, text };
  });
}

/** @param {readonly SourceFile[]} files */
function countLines(files) {
  return files.reduce((sum, { text }) => sum + text.split('\n').length - (text.endsWith('\n') ? 1 : 0), 0);
}

/**
 * The kit of packages/shared replaces helpers of the measured packages, so that it counts too.
 *
 * @param {readonly SourceFile[]} files
 */
function withKit(files) {
  return [...files, ...product.filter(({ path }) => path.startsWith('packages/shared/src/kit/'))];
}

/** @param {readonly string[]} hits "path:line name" */
function distinct(hits) {
  const byName = Map.groupBy(hits, (hit) => hit.split(' ')[1] ?? '');
  return [...byName.values()].flatMap(([first]) => first ?? []);
}

/**
 * Importing files by imported file.
 *
 * @param {readonly SourceFile[]} files
 */
function findImporters(files) {
  const known = new Set(files.map(({ path }) => path));
  /** @type {Map<string, Set<string>>} */
  const importers = new Map();
  for (const { path, text } of files) {
    for (const [, specifier = ''] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)) {
      const target = resolveImport(path, specifier, known);
      if (target === null || target === path) continue;
      const found = importers.get(target) ?? new Set();
      importers.set(target, found.add(path));
    }
  }
  return importers;
}

/**
 * @param {string} from
 * @param {string} specifier
 * @param {ReadonlySet<string>} known
 */
function resolveImport(from, specifier, known) {
  const [, name, inside] = /^@mqttlab\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  const base =
    name !== undefined && inside !== undefined
      ? [`packages/${name}/src/${inside}`, `apps/${name}/src/${inside}`]
      : specifier.startsWith('.')
        ? [posix.join(dirname(from), specifier)]
        : [];
  const candidates = base.flatMap((path) => [path, `${path}.ts`, `${path}.tsx`]);
  return candidates.find((path) => known.has(path)) ?? null;
}

/** @param {SourceFile} file */
function parse({ path, text }) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/**
 * @param {import('typescript').Node} node
 * @param {(node: import('typescript').Node) => void} visit
 */
function walk(node, visit) {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/**
 * @param {import('typescript').Node} node
 * @param {string} name
 */
function hitOf(node, name) {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${name}`;
}

/** @param {SourceFile} source */
function findBackoffs(source) {
  /** @type {string[]} */
  const hits = [];
  walk(parse(source), (node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'Math.min') return;
    if (!node.arguments.some((argument) => /\* 2\b|\b2 \*\*/.test(argument.getText()))) return;
    let outer = node.parent;
    while (outer && !ts.isStatement(outer) && !ts.isPropertyDeclaration(outer)) outer = outer.parent;
    const text = outer?.getText() ?? '';
    if (/wait|pause|delay|backoff/i.test(text)) hits.push(hitOf(node, node.getText()));
  });
  return hits;
}

/** @param {SourceFile} source */
function findChildWrappers(source) {
  const called = importedNames(source, 'node:child_process').filter((name) =>
    /^(spawn|fork|exec|execFile)(Sync)?$/.test(name),
  );
  if (called.length === 0) return [];
  return parse(source).statements.flatMap((statement) => {
    const name = declaredName(statement);
    if (name === null) return [];
    const text = statement.getText();
    return called.some((call) => new RegExp(`\\b${call}\\(|promisify\\(${call}\\)`).test(text))
      ? [hitOf(statement, name)]
      : [];
  });
}

/**
 * @param {SourceFile} source
 * @param {string} module
 */
function importedNames({ text }, module) {
  const [, names = ''] = new RegExp(`import \\{([^}]*)\\} from '${module}'`).exec(text) ?? [];
  return names.split(',').map((name) => name.trim().replace(/^type /, ''));
}

/** @param {import('typescript').Statement} statement */
function declaredName(statement) {
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
    return statement.name?.text ?? 'default';
  }
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText()).join(', ');
  }
  return null;
}

/** @param {SourceFile} source */
function findErrorClasses(source) {
  /** @type {string[]} */
  const hits = [];
  walk(parse(source), (node) => {
    if (!ts.isClassDeclaration(node)) return;
    const parents = node.heritageClauses?.flatMap(({ types }) =>
      types.map(({ expression }) => expression.getText()),
    );
    if (parents?.some((name) => /(Error|Failure)$/.test(name))) hits.push(hitOf(node, node.name?.text ?? ''));
  });
  return hits;
}

/** @param {SourceFile} source */
function findWaiting(source) {
  const isWaiting = (/** @type {string} */ name) =>
    /^#?(wait|until|when|within|poll|sleep|pause)([A-Z]|$)|^#?(gathered|arrived|orAborted)$/.test(name);
  /** @type {string[]} */
  const hits = [];
  walk(parse(source), (node) => {
    if (ts.isClassDeclaration(node)) {
      const name = node.name?.text ?? '';
      if (/^(Latch|Requests)$|Pending|Owed|Waiter/.test(name)) hits.push(hitOf(node, name));
    } else if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) {
      const name = node.name?.getText() ?? '';
      const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false;
      const returns = node.type?.getText() ?? '';
      if (node.body && isWaiting(name) && (isAsync || returns.startsWith('Promise')))
        hits.push(hitOf(node, name));
    }
  });
  return hits;
}

/** @param {readonly SourceFile[]} files */
function findBags(files) {
  const parsed = files.map(parse);
  const services = listServices(parsed);
  /** @type {string[]} */
  const hits = [];
  for (const file of parsed) {
    walk(file, (node) => {
      const members = membersOf(node);
      if (members === null || members.length <= maxFields) return;
      const name = nameOfType(node);
      if (name === null || !/(Options|Dependencies|Parts|Needs|Services|Ports|Context|Rig)$/.test(name))
        return;
      if (members.filter((member) => isFunctional(member, services)).length < 2) return;
      hits.push(hitOf(node, `${name} (${members.length})`));
    });
  }
  return hits;
}

/**
 * Names of types that have a function: classes, interfaces with methods, and results of a "make" function.
 *
 * @param {readonly import('typescript').SourceFile[]} files
 */
function listServices(files) {
  /** @type {Set<string>} */
  const names = new Set();
  for (const file of files) {
    walk(file, (node) => {
      if (ts.isClassDeclaration(node) && node.name) names.add(node.name.text);
      if (
        ts.isTypeAliasDeclaration(node) &&
        /ReturnType<typeof (make|start|open|create)/.test(node.type.getText())
      ) {
        names.add(node.name.text);
      }
      if (ts.isInterfaceDeclaration(node) && node.members.some((member) => isFunctional(member, new Set()))) {
        names.add(node.name.text);
      }
    });
  }
  return names;
}

/** @param {import('typescript').Node} node */
function membersOf(node) {
  return ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node) ? node.members : null;
}

/** @param {import('typescript').Node} node */
function nameOfType(node) {
  if (ts.isInterfaceDeclaration(node)) return node.name.text;
  if (ts.isTypeAliasDeclaration(node.parent)) return node.parent.name.text;
  return ts.isParameter(node.parent) ? 'InlineOptions' : null;
}

/**
 * @param {import('typescript').TypeElement} member
 * @param {ReadonlySet<string>} services
 */
function isFunctional(member, services) {
  if (ts.isMethodSignature(member)) return true;
  if (!ts.isPropertySignature(member) || !member.type) return false;
  const { type } = member;
  if (ts.isFunctionTypeNode(type)) return true;
  return [...type.getText().matchAll(/\b[A-Z]\w*/g)].some(([name]) => services.has(name));
}
