import { parseArgs } from 'node:util';
import {
  failedVerdicts,
  makeOrdinaryRuns,
  type OrdinaryRun,
  startExternalBroker,
} from '../src/run/testing/ordinary-runs.ts';
import { playRun } from '../src/run/testing/real-run.ts';
import { type Life, Rig } from '../src/run/testing/rig.ts';

const readyTimeoutMs = 90_000;
/** Maximum number of flagged runs among all repetitions of one kind of run. */
const maxFlagged = 1;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    /** Selects the kinds to run by name. */
    kind: { type: 'string', default: '' },
  },
});

/** Prints the reasons for flags, and returns how many runs of each kind were flagged. */
async function countFlagged(life: Life, { name, draft }: OrdinaryRun, times: number): Promise<number> {
  const reasons: string[] = [];
  let flagged = 0;
  let besidesTheMachine = 0;
  for (let time = 1; time <= times; time += 1) {
    const { detail } = await playRun(life, draft);
    const failed = failedVerdicts(detail);
    if (failed.length > 0) flagged += 1;
    if (failedVerdicts(detail, true).length > 0) besidesTheMachine += 1;
    reasons.push(...failed.map(({ id, evidence }) => `  run ${time}: ${id}: ${evidence}`));
  }
  const words = `${flagged} of ${times} flagged, ${besidesTheMachine} of them also for reasons other than a busy machine`;
  console.log([`${name}: ${words}`, ...reasons].join('\n'));
  return flagged;
}

const rig = new Rig();
let stopBroker = async (): Promise<void> => {};
try {
  const life = await rig.start({ realAgents: true });
  stopBroker = await startExternalBroker(life);
  if (!(await life.whenReady(readyTimeoutMs))) throw new Error('the agents did not connect');
  const runs = makeOrdinaryRuns({ warmUpMs: 1000, measureMs: 2000 });
  for (const run of runs.filter(({ name }) => name.includes(values.kind))) {
    if ((await countFlagged(life, run, Number(values.times))) > maxFlagged) process.exitCode = 1;
  }
} finally {
  await rig.remove();
  await stopBroker();
}
