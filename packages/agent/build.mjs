import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));

/** CommonJS dependencies call `require` for Node's own modules; an ES module has none. */
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles the agent with its child modes into one file that needs nothing but Node 24.
 * @param {{ outfile?: string }} [options] where to; `dist/agent.mjs` of this package when left out
 * @returns {Promise<{ outfile: string, modules: string[] }>} the file written, and the paths of the modules in it
 */
export async function buildAgent({ outfile = join(folder, 'dist/agent.mjs') } = {}) {
  await mkdir(dirname(outfile), { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(folder, 'src/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    legalComments: 'none',
    banner: { js: banner },
    // Optional native helpers of ws: it works without them.
    external: ['bufferutil', 'utf-8-validate'],
    logLevel: 'warning',
    metafile: true,
  });
  return { outfile, modules: Object.keys(metafile.inputs) };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log((await buildAgent()).outfile);
}
