import { join } from 'node:path';
import { build } from 'esbuild';
import { buildAgent } from '../packages/agent/build.mjs';
import { root } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: 'node scripts/bundle.mjs\n\nBundles server, command line and agent; part of npm run build.',
});

// CommonJS packages inside an ES module bundle still ask for require and __dirname.
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); const __dirname = import.meta.dirname;";

/** One file each: the server, the command line, and the agent that is copied to devices. */
await Promise.all([
  buildAgent({ outfile: join(root, 'dist', 'agent.mjs') }),
  ...[
    ['apps/server/src/main.ts', 'server.mjs'],
    ['apps/server/src/cli/main.ts', 'cli.mjs'],
    ['apps/server/src/results/answer-worker.ts', 'answer-worker.mjs'],
    ['apps/server/src/exchange/bundle-process.ts', 'bundle-process.mjs'],
    ['apps/server/src/exchange/bundle-writer.ts', 'bundle-writer.mjs'],
    ['apps/server/src/api/yaml-worker.ts', 'yaml-worker.mjs'],
    ['apps/server/src/results/meter-worker.ts', 'meter-worker.mjs'],
  ].map(([entry, name]) =>
    build({
      entryPoints: [join(root, entry)],
      outfile: join(root, 'dist', name),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      // ssh2 does without its compiled parts where they are not there.
      external: ['*.node', 'cpu-features', '@node-rs/argon2'],
      banner: { js: banner },
      legalComments: 'none',
      logLevel: 'warning',
    }),
  ),
]);
