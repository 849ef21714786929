import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = process.env.MQTTLAB_SERVER ?? 'http://127.0.0.1:8080';

const applicationModule = `${import.meta.dirname}/src/app.tsx`;
const apiModule = fileURLToPath(import.meta.resolve('@mqttlab/shared/messages/api'));
const firstPage = `${import.meta.dirname}/src/pages/experiments/experiments-page.tsx`;

/** Preloads the application in index.html together with the small entry that imports it. */
const preloadApplication: Plugin = {
  name: 'preload-application',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [file] : []));
      const application = chunks.find(({ moduleIds }) => moduleIds.includes(applicationModule));
      if (!application) return html;
      const scripts = [application.fileName, ...application.imports];
      const known = new Set([...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]));
      const styles = chunks
        .filter(({ fileName }) => scripts.includes(fileName))
        .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
      const inHead = (rel: string, files: string[]) =>
        files
          .filter((file) => !known.has(file))
          .map((file) => ({
            tag: 'link',
            attrs: { rel, crossorigin: true, href: `/${file}` },
            injectTo: 'head' as const,
          }));
      return { html, tags: [...inHead('modulepreload', scripts), ...inHead('stylesheet', styles)] };
    },
  },
};

const mantineNames = /[\\/]@mantine[\\/]core[\\/]esm[\\/].*[\\/](\w+)\.module\.mjs$/;

/** Adds to each Mantine component its own styles, instead of loading the styles of all components. */
const mantineStyles: Plugin = {
  name: 'mantine-styles',
  apply: 'build',
  transform(code, id) {
    const [, name] = mantineNames.exec(id) ?? [];
    return name ? { code: `import '@mantine/core/styles/${name}.layer.css';\n${code}`, map: null } : null;
  },
};

/** Unused components that Mantine's index imports. */
const lateFields =
  /react-number-format|@mantine[\\/]form|core[\\/]esm[\\/]components[\\/](NumberInput|PasswordInput|Radio|FileInput|TagsInput|MultiSelect|Pill|PillsInput|Textarea|NativeSelect|Accordion|CopyButton)[\\/]/;

type Chunking = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/** Defines a named chunk with this module and all modules that it imports statically. */
function withImports(name: string, first: string) {
  const known = new WeakMap<Chunking, ReadonlySet<string>>();
  const find = (chunking: Chunking): ReadonlySet<string> => {
    const found = new Set<string>();
    const visit = (module: string) => {
      if (found.has(module) || lateFields.test(module)) return;
      found.add(module);
      chunking.getModuleInfo(module)?.importedIds.forEach(visit);
    };
    visit(first);
    return found;
  };
  return (id: string, chunking: Chunking): string | null => {
    const modules = known.get(chunking) ?? find(chunking);
    known.set(chunking, modules);
    return modules.has(id) ? name : null;
  };
}

export default defineConfig({
  plugins: [react(), mantineStyles, preloadApplication],
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, headers: { origin: server } } },
  },
  build: {
    outDir: 'dist',
    target: 'es2022',
    sourcemap: false,
    // For the licences in the npm package.
    license: { fileName: '.vite/licences.json' },
    // The application and its component library are deliberately one file.
    chunkSizeWarningLimit: 700,
    // The content security policy allows fonts from this server only, not from data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Few files are built, because each file costs about as much as 20 kB on a first visit.
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'], priority: 7 },
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|react-router|scheduler)[\\/]/,
              priority: 6,
            },
            // Charts are not part of the initial load; only pages with charts fetch them.
            { name: 'charts', test: /node_modules[\\/](chart\.js|@kurkle)/, priority: 5 },
            { name: withImports('application', applicationModule), debugName: 'application', priority: 4 },
            // The first page, with the modules that other pages share with it.
            { name: withImports('first-page', firstPage), debugName: 'first-page', priority: 3.8 },
            // The schemas of responses, which the first page loads after it is shown.
            { name: withImports('api', apiModule), debugName: 'api', priority: 3.7 },
            { name: 'fields', test: lateFields, priority: 3.5 },
            // Modules shared by several pages, in layers that import only from the layers above.
            { name: 'library', test: /node_modules/, minShareCount: 3, priority: 3 },
            {
              name: 'catalogue',
              // The published studies are excluded; only their pages fetch them.
              test: /packages[\\/](shared[\\/]src|charts[\\/]src[\\/]drawing)[\\/]/,
              minShareCount: 3,
              priority: 2,
            },
            {
              name: 'parts',
              test: /apps[\\/]web[\\/]src[\\/](?!pages[\\/]studies)/,
              minShareCount: 3,
              priority: 1,
            },
            // Chart kinds and documents that the experiments page does not use.
            {
              name: 'figures',
              test: /packages[\\/]charts[\\/]src[\\/](kinds|document|blocks)[\\/]/,
              minShareCount: 3,
              priority: 1.5,
            },
          ],
        },
      },
    },
  },
});
