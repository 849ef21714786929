import { ensureBuild } from './build.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run test:api [-- --seed N --seconds N]

Holds the whole API against its OpenAPI document with made-up requests, on an empty server and on one with data.
--seed N     other requests (1)
--seconds N  for each of the two passes (30)`,
  options: { seed: { type: 'string', default: '1' }, seconds: { type: 'string', default: '30' } },
});
const { node } = prepare();
const fuzzer = await ensureFuzzer();
if (fuzzer === null) process.exit(2);
await ensureBuild(node);
process.exit(await fuzzApi(node, ['--program', fuzzer, '--seed', values.seed, '--seconds', values.seconds]));
