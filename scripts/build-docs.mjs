import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { docsSource } from './doc-pages.mjs';
import { capture, root } from './project.mjs';

/** Inside the folder of the built page: the server serves both. */
export const docsFolder = join(root, 'apps', 'web', 'dist', 'docs');

/**
 * Builds the documentation site into the folder: pages, JSON Schemas and the API viewer. Resolves with the exit code of
 * VitePress.
 *
 * @param {string} node
 * @param {string} [folder]
 */
export async function buildDocs(node, folder = docsFolder) {
  const { code, output } = await capture(node, [
    'node_modules/vitepress/bin/vitepress.js',
    'build',
    'docs',
    '--outDir',
    folder,
  ]);
  if (code !== 0) {
    console.error(output);
    return code;
  }
  for (const path of readdirSync(docsSource, { recursive: true, encoding: 'utf8' })) {
    if (path.startsWith('.') || extname(path) !== '.json') continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(docsSource, path), join(folder, path));
  }
  cpSync(join(root, 'apps', 'web', 'public', 'mark.svg'), join(folder, 'mark.svg'));
  addApiViewer(join(folder, 'api'));
  return 0;
}

/**
 * Writes Swagger UI, which shows the OpenAPI document of the running server.
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
// Swagger UI leaves these choices without a name.
const names = { servers: 'Server', schemes: 'Scheme' };
new MutationObserver(() => {
  for (const [id, name] of Object.entries(names)) document.getElementById(id)?.setAttribute('aria-label', name);
}).observe(document.getElementById('api'), { childList: true, subtree: true });
// Deep links would be links inside of buttons.
SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#api', deepLinking: false, validatorUrl: null, tagsSorter: 'alpha', docExpansion: 'list' });
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
/* Swagger UI's light colours have less contrast than WCAG AA asks for. */
html:not(.dark-mode) .swagger-ui .info .title small { background: #5c6370; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4a6b00; }
html:not(.dark-mode) .swagger-ui .info .link, html:not(.dark-mode) .swagger-ui .info .url, html:not(.dark-mode) .swagger-ui .info a { color: #1f5fa8; }
html:not(.dark-mode) .swagger-ui .opblock .opblock-summary-method { background: #47505b; }
html:not(.dark-mode) .swagger-ui .opblock-get .opblock-summary-method { background: #1f5fa8; }
html:not(.dark-mode) .swagger-ui .opblock-post .opblock-summary-method { background: #1a7445; }
html:not(.dark-mode) .swagger-ui .opblock-put .opblock-summary-method, html:not(.dark-mode) .swagger-ui .opblock-patch .opblock-summary-method { background: #8a5600; }
html:not(.dark-mode) .swagger-ui .opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #1a7445; border-color: #1a7445; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1a7445; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12-expand-deep-button { color: #47505b; }
</style>
</head>
<body>
<header><a href="/">mqttlab</a> <a href="/docs/">Documentation</a> <a href="/docs/reference/live-events.html">Live events</a></header>
<div id="api"></div>
<script src="swagger-ui-bundle.js"></script>
<script src="start.js"></script>
</body>
</html>
`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await buildDocs(process.execPath);
}
