import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { listPages, slugOf } from './doc-pages.mjs';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';
import { writeReference } from './write-reference.mjs';

readArguments({
  usage:
    'node scripts/check-docs.mjs\n\nChecks the documentation: links, npm scripts, programs, contents, and that its reference is up to date.',
});

/** @type {string[]} */
const problems = [];
/** A reader decides by the README whether to read on. */
const maxReadmeLines = 120;
const pages = [...listPages().map((path) => `docs/${path}`), 'README.md', 'CONTRIBUTING.md'];
const texts = new Map(pages.map((path) => [path, readFileSync(join(root, path), 'utf8')]));

for (const [path, text] of Object.entries(await writeReference())) {
  if (readFileSync(join(root, path), 'utf8') !== text)
    problems.push(`${path} is outdated: "npm run reference" writes it`);
}
for (const [path, text] of texts) {
  for (const link of text.matchAll(/\]\(([^)\s]+)\)/g)) checkLink(path, link[1] ?? '');
  for (const picture of text.matchAll(/\b(?:src|srcset)="([^"]+)"/g)) checkLink(path, picture[1] ?? '');
  for (const script of text.matchAll(/npm run (?:--silent |-s )?([\w:-]+)/g))
    checkScript(path, script[1] ?? '');
}
const programs = listPrograms(texts.get('docs/reference/tested-commands.md') ?? '');
for (const [path, text] of texts) {
  for (const block of text.matchAll(/```(?:sh|bash|console)\n([\s\S]*?)```/g))
    checkPrograms(path, block[1] ?? '');
}
const readmeLines = (texts.get('README.md') ?? '').trimEnd().split('\n').length;
if (readmeLines > maxReadmeLines) {
  problems.push(`README.md has ${readmeLines} lines, more than ${maxReadmeLines}`);
}
const contents = texts.get('docs/README.md') ?? '';
for (const path of pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')) {
  if (!contents.includes(`(${path.slice('docs/'.length)})`))
    problems.push(`docs/README.md does not list ${path}`);
}
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

/**
 * @param {string} path
 * @param {string} href
 */
function checkLink(path, href) {
  if (/^[a-z]+:/.test(href)) return;
  const [file = '', anchor] = href.split('#');
  const target = file === '' ? path : posix.normalize(posix.join(dirname(path), file));
  if (!existsSync(join(root, target))) problems.push(`${path} links to ${href}, which is not there`);
  else if (anchor !== undefined && target.endsWith('.md')) {
    const ids = [...readFileSync(join(root, target), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, words = '']) =>
      slugOf(words),
    );
    if (!ids.includes(anchor)) problems.push(`${path} links to ${href}: no such heading`);
  }
}

/**
 * @param {string} path
 * @param {string} name
 */
function checkScript(path, name) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!(name in scripts)) problems.push(`${path} names "npm run ${name}", which package.json does not have`);
}

/**
 * Returns the programs in the first column of the table of tested commands.
 *
 * @param {string} page
 */
function listPrograms(page) {
  const rows = [...page.matchAll(/^\| (`.+?) \|/gm)].map(([, cell = '']) => cell);
  return new Set(rows.flatMap((cell) => [...cell.matchAll(/`(.+?)`/g)].map(([, name]) => name)));
}

/**
 * @param {string} path
 * @param {string} block
 */
function checkPrograms(path, block) {
  const lines = block
    .replaceAll(/<<'(\w+)'\n[\s\S]*?\n\1\n/g, '\n')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll('\\\n', ' ')
    .split('\n');
  for (const line of lines) {
    const [, program] = /^\s*(?:[A-Z_]+=\S+ )*([\w-]+)/.exec(line) ?? [];
    if (program === undefined || programs.has(program)) continue;
    problems.push(`${path} uses "${program}", which docs/reference/tested-commands.md does not list`);
  }
}
