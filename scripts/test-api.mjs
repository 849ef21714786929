import { ensureBuild } from './build.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run test:api [-- --seed N --examples N]

Sends made-up requests to every operation of the OpenAPI document, on an empty server and on one with data, and fails
if an answer is a server error.
--seed N      of the made-up requests (1)
--examples N  random requests per operation and pass, besides those with every boundary value (20)`,
  options: { seed: { type: 'string', default: '1' }, examples: { type: 'string', default: '20' } },
});
const { node } = prepare();
const fuzzer = await ensureFuzzer();
if (fuzzer === null) process.exit(2);
await ensureBuild(node);
process.exit(
  await fuzzApi(node, [
    '--program',
    fuzzer,
    '--coverage',
    '--seed',
    values.seed,
    '--examples',
    values.examples,
  ]),
);
