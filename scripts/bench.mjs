import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';

const { node } = prepare();
await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', 'e2e/bench/main.ts', ...process.argv.slice(2)]);
