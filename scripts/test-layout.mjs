import { ensureBuild } from './build.mjs';
import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

readArguments({
  usage: `npm run test:layout

Opens the pages of results with 2 to 60 treatments in two windows and two colour schemes, and looks for text that is
cut or lies over other text: some minutes. MQTTLAB_SCREENSHOTS names a folder for pictures of them.`,
});

const { node } = prepare();
ensureTools();
await ensureBuild(node);
const config = ['--config', 'e2e/playwright.config.ts', '--project', 'layout', '--reporter', 'list'];
handOver(node, ['node_modules/@playwright/test/cli.js', 'test', ...config]);
