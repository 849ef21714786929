import { ensureBuild } from './build.mjs';
import { ensureFuzzer, fuzzApi } from './fuzz-api.mjs';
import { prepare } from './project.mjs';

const usage = 'usage: npm run test:api [-- --seed N --seconds N]   (of each of the two passes)';
const options = process.argv.slice(2);
if (options.includes('--help')) {
  console.log(usage);
  process.exit(0);
}
if (!/^( --(seed|seconds) \d{1,9})*$/.test(options.map((word) => ` ${word}`).join(''))) {
  console.error(usage);
  process.exit(2);
}
const { node } = prepare();
const fuzzer = await ensureFuzzer();
if (fuzzer === null) process.exit(2);
await ensureBuild(node);
process.exit(await fuzzApi(node, ['--program', fuzzer, ...options]));
