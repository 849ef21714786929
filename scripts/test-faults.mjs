import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';
import { helpOnly } from './script-arguments.mjs';

helpOnly(`npm run test:faults [-- options of vitest]

Breaks something in every phase of a run in the virtual lab. Needs root on Linux.`);

const { node } = prepare();
ensureTools({ lab: true });
await ensureBuild(node);
handOver(
  node,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...['--config', 'e2e/lab/vitest.config.ts', '--project', 'beside', 'faults.test.ts'],
    ...process.argv.slice(2),
  ],
  { ...process.env, MQTTLAB_EVERY_PHASE: '1' },
);
