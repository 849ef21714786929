import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';

const { node } = prepare();
const built = await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', built.cli, ...process.argv.slice(2)]);
