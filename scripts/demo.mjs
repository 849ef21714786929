import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';
import { helpOnly } from './script-arguments.mjs';

helpOnly(`npm run demo [-- options of the command line]

Runs the tour and prints its comparison and links; starts a server for it if none is running. "npm run mqttlab -- demo --help" lists the options.`);

const { node } = prepare();
const built = await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', built.cli, 'demo', ...process.argv.slice(2)]);
