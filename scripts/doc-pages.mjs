import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { root } from './project.mjs';

/** Folder of the documentation's Markdown files. */
export const docsSource = join(root, 'docs');

/** Paths of all documentation pages, relative to docs/. */
export function listPages() {
  return readdirSync(docsSource, { recursive: true, encoding: 'utf8' }).filter(
    (path) => extname(path) === '.md' && !path.startsWith('.'),
  );
}

/**
 * Returns the path of the served page below /docs/.
 *
 * @param {string} path
 */
export function htmlOf(path) {
  return path === 'README.md' ? 'index.html' : path.replace(/\.md$/, '.html');
}

/**
 * Returns the id of a heading in the same form as GitHub.
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

/** Returns the table of contents: the groups of links in docs/README.md. */
export function readContents() {
  const text = readFileSync(join(docsSource, 'README.md'), 'utf8');
  return text
    .split('\n## ')
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      pages: [...section.matchAll(/^- \[(.+?)\]\((.+?)\)/gm)].map(([, title = '', path = '']) => ({
        title,
        path,
      })),
    }));
}
