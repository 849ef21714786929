import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './project.mjs';

const source = join(root, 'docs');
/** Below the page, whose server serves both. */
export const docsFolder = join(root, 'apps', 'web', 'dist', 'docs');
const address = '/docs/';

/** Folders whose README is a page too: `docs/architecture.md` links to them. */
const packages = [
  'packages/shared',
  'packages/charts',
  'packages/studies',
  'packages/agent',
  'apps/server',
  'apps/cli',
  'apps/web',
];

/**
 * Returns the id of a heading, as GitHub builds it.
 *
 * @param {string} heading
 */
export function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/<[^>]+>|&[a-z]+;|[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Every page below docs/, by its path from there. */
export function listPages() {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => extname(path) === '.md');
}

/**
 * Writes every page of docs/ as HTML into a folder, with pictures, styles and JSON Schemas.
 *
 * @param {string} target
 */
export async function buildDocs(target) {
  // Imported late: the build installs packages after it imports this file.
  const { Marked } = await import('marked');
  rmSync(target, { recursive: true, force: true });
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!['.png', '.css', '.json'].includes(extname(path))) continue;
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(source, path), join(target, path));
  }
  const contents = readFileSync(join(source, 'README.md'), 'utf8');
  for (const path of listPages()) {
    const file = join(target, htmlOf(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, makePage(Marked, path, contents));
  }
  for (const folder of packages) {
    const path = `../${folder}/README.md`;
    const file = join(target, htmlOf(path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, makePage(Marked, path, contents));
  }
  addApiViewer(join(target, 'api'));
}

/**
 * Writes a page with Swagger UI for the OpenAPI document of the server.
 *
 * @param {string} folder
 */
function addApiViewer(folder) {
  mkdirSync(folder, { recursive: true });
  const parts = [
    import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
    import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  ];
  for (const part of parts) cpSync(fileURLToPath(part), join(folder, basename(part)));
  writeFileSync(
    join(folder, 'start.js'),
    `document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#api', deepLinking: true, validatorUrl: null, tagsSorter: 'alpha', docExpansion: 'list' });
`,
  );
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · mqttlab</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="swagger-ui.css">
<style>
body { margin: 0; background: Canvas; color: CanvasText; font: 15px/1.6 system-ui, sans-serif; }
header { display: flex; gap: 16px; padding: 12px 24px; border-bottom: 1px solid GrayText; }
header a { color: inherit; font-weight: 600; text-decoration: none; }
</style>
</head>
<body>
<header><a href="/">mqttlab</a> <a href="${address}">Documentation</a> <a href="${address}reference/live-events.html">Live events</a></header>
<main id="api"></main>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`,
  );
}

/**
 * Returns the path of the served page below /docs/.
 *
 * @param {string} path
 */
export function htmlOf(path) {
  if (path === 'README.md') return 'index.html';
  return path.replace(/^\.\.\/(.+)\/README\.md$/, 'code/$1.html').replace(/\.md$/, '.html');
}

/** @typedef {typeof import('marked').Marked} MarkedClass */

/**
 * @param {MarkedClass} Marked
 * @param {string} path
 * @param {string} contents
 */
function makePage(Marked, path, contents) {
  const text = readFileSync(join(source, path), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  // The table of contents is the list of the first page.
  const list = contents.slice(contents.indexOf('\n## '));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title.replaceAll('`', '')} · mqttlab</title>
<link rel="stylesheet" href="${address}style.css">
</head>
<body>
<header><a href="/">mqttlab</a> <a href="${address}">Documentation</a></header>
<div class="columns">
<nav aria-label="Documentation">${render(Marked, list, { from: 'README.md', at: path })}</nav>
<main>${render(Marked, text, { from: path, at: path })}</main>
</div>
</body>
</html>
`;
}

/**
 * `from`: the page that the text is from, `at`: the page that contains it.
 *
 * @param {MarkedClass} Marked
 * @param {string} text
 * @param {{ from: string, at: string }} place
 */
function render(Marked, text, { from, at }) {
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text: plain }) {
        const id = from === at ? ` id="${slugOf(plain)}"` : '';
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const to = resolveLink(href, from);
        if (to === null) return this.parser.parseInline(tokens);
        const current = from !== at && to === address + htmlOf(at) ? ' aria-current="page"' : '';
        return `<a href="${to}"${current}>${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text: alt }) {
        return `<img src="${resolveLink(href, from)}" alt="${alt}" loading="lazy">`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html.replaceAll('<table>', '<div class="wide"><table>').replaceAll('</table>', '</table></div>'),
    },
  });
  return marked.parse(text);
}

/**
 * Returns the address of a link; null if its file is only in the repository, so that the server has no page for it.
 *
 * @param {string} href
 * @param {string} from
 */
function resolveLink(href, from) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(from), path));
  if (target.startsWith('..') && !packages.some((folder) => target === `../${folder}/README.md`)) return null;
  return address + htmlOf(target) + (anchor === undefined ? '' : `#${anchor}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildDocs(docsFolder);
