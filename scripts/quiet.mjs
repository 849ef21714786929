import { ensureTools } from './ensure-tools.mjs';
import { handOver, prepare } from './project.mjs';
import { readArguments } from './script-arguments.mjs';

const { values } = readArguments({
  usage: `npm run quiet [-- --times N --kind NAME]

Plays an ordinary run of every client, workload and broker (or of those whose name holds NAME) N times (20), and says
which were flagged and why. Wants an otherwise idle machine; fails where more than one of a kind is flagged.`,
  options: { times: { type: 'string', default: '20' }, kind: { type: 'string', default: '' } },
});
const { node } = prepare();
ensureTools();
const program = ['--disable-warning=ExperimentalWarning', 'apps/server/bench/quiet-runs.ts'];
handOver(node, [...program, '--times', values.times, '--kind', values.kind]);
