import { ensureBuild } from './build.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: `npm start

Starts the server and the agents of the built-in testbed. PORT, HOST, MQTTLAB_DATA, MQTTLAB_ADMIN_TOKEN,
MQTTLAB_HOSTNAMES and LOG_LEVEL in the environment set it up; README.md and docs/how-to/accounts.md say how.`,
});

const { node } = prepare();
const built = await ensureBuild(node);
handOver(node, ['--disable-warning=ExperimentalWarning', built.server]);
