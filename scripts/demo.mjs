import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';

const { node } = prepare();
const built = await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', built.cli, 'demo', ...process.argv.slice(2)]);
