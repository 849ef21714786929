import { ensureBuild } from './build.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare } from './project.mjs';

const options = process.argv.slice(2);
const isKnown = (word, at) =>
  /^--(seed|seconds)$/.test(at % 2 === 0 ? word : '') || (at % 2 === 1 && /^\d+$/.test(word));
if (options.length % 2 !== 0 || !options.every(isKnown)) {
  console.error('usage: npm run test:api [-- --seed N] [-- --seconds N]   (seconds of each pass)');
  process.exit(2);
}
const { node } = prepare();
const fuzzer = await ensureFuzzer();
if (fuzzer === null) process.exit(2);
await ensureBuild(node);
process.exit(await fuzzApi(node, ['--program', fuzzer, ...options]));
