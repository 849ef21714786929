import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { htmlOf, readContents, slugOf } from '../../scripts/doc-pages.mjs';
import { root } from '../../scripts/project.mjs';
import { readAddress } from '../../scripts/write-addresses.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const address = readAddress();
const base = '/docs/';
/** Set by scripts/package.mjs: the program that the pages call, and the file for the paths of all modules of the site. */
const { MQTTLAB_DOCS_PROGRAM: program, MQTTLAB_DOCS_MODULES: modulesFile } = process.env;

const linkTo = (path) => `/${htmlOf(path).replace(/^index\.html$/, '')}`;

export default defineConfig({
  title: 'mqttlab',
  titleTemplate: ':title · mqttlab',
  description: 'Designs, runs and explains experiments on secure MQTT',
  lang: 'en',
  base,
  outDir: '../apps/web/dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: { 'README.md': 'index.md' },
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }]],
  metaChunk: true,
  vite: { plugins: modulesFile ? [recordModules(modulesFile)] : [] },
  transformHtml: (html, _file, { siteConfig }) => moveScriptsToFiles(html, siteConfig.outDir),
  markdown: {
    languageAlias: { console: 'sh' },
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.core.ruler.push('repository-links', removeRepositoryLinks);
      if (program) md.core.ruler.push('program', nameProgram);
      md.renderer.rules.table_open = () => '<div class="wide-table" tabindex="0"><table>\n';
      md.renderer.rules.table_close = () => '</table></div>\n';
      md.renderer.rules.html_block = (tokens, index) => renderPicture(tokens[index].content);
    },
  },
  themeConfig: {
    version,
    logo: '/mark.svg',
    // The title opens mqttlab itself, outside the documentation.
    logoLink: { link: '/', target: '_self' },
    nav: [
      { text: 'Documentation', link: '/' },
      { text: 'API', link: '/api/index.html', target: '_self' },
    ],
    sidebar: readContents().map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: linkTo(page.path) })),
    })),
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local' },
    ...(address !== '' && {
      editLink: { pattern: `${address}/edit/main/docs/:path`, text: 'Edit this page' },
    }),
  },
});

/** The content security policy of the server refuses inline scripts. */
function moveScriptsToFiles(html, folder) {
  return html.replaceAll(/<script id="[\w-]+">(.*?)<\/script>/gs, (_, code) => {
    const file = `assets/${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
    writeFileSync(join(folder, file), code);
    return `<script src="${base}${file}"></script>`;
  });
}

/** Replaces links to files outside docs/ by their text: the server has no page for them. */
function removeRepositoryLinks({ tokens, env }) {
  const depth = env.relativePath.split('/').length - 1;
  for (const { children } of tokens) {
    let inside = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') inside = leavesDocs(token.attrGet('href'), depth);
      if (inside && token.type.startsWith('link_')) Object.assign(token, { type: 'text', content: '' });
      else if (token.type === 'link_close') inside = false;
    }
  }
}

function leavesDocs(href, depth) {
  return (href.match(/^(\.\.\/)+/)?.[0].length ?? 0) / 3 > depth;
}

/** Replaces the command of a clone by that of the npm package, in prose and in blocks. */
function nameProgram({ tokens }) {
  for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
    token.content = token.content.replaceAll(/npm run (?:-s |--silent )?mqttlab -- /g, `${program} `);
  }
}

function recordModules(file) {
  const modules = new Set();
  return {
    name: 'record-modules',
    generateBundle() {
      for (const id of this.getModuleIds()) modules.add(id);
      writeFileSync(file, JSON.stringify([...modules]));
    },
  };
}

/** Shows the picture of the chosen theme, which may differ from the theme of the system. */
function renderPicture(html) {
  return html.replaceAll(
    /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img alt="([^"]*)" src="([^"]+)">\s*<\/picture>/g,
    (_, dark, alt, light) =>
      `<img class="light-only" src="./${light}" alt="${alt}" loading="lazy"><img class="dark-only" src="./${dark}" alt="${alt}" loading="lazy">`,
  );
}
