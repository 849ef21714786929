import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startExperiment } from '../fixtures/experiments.ts';
import { ChaosBench, findMeans } from './chaos-bench.ts';
import { findDamage } from './find-damage.ts';
import { describeStep, makeSequence, type Sequence } from './make-sequence.ts';
import { playSteps } from './play-fault.ts';
import { settle } from './settle.ts';

const usage = `Usage: npm run chaos -- [--seed N] [--sequences N] [--json FILE]

Plays sequences of faults over short real experiments on the built-in testbed, and looks after each whether a result
was lost or doubled, a trial counts other than once, a process or a rule of the kernel is left, the database is whole
and every end is explained. Root on Linux also fills a disk, cuts connections and jumps the clock (libfaketime).

  --seed N       of the first sequence (a number by chance); the next ones have the seeds after it
  --sequences N  how many (10)
  --json FILE    writes how many passed and failed
  --help         prints this`;

/** Thrown for what was typed. */
class UsageError extends Error {}

interface Wish {
  seed: number;
  sequences: number;
  json: string | null;
  /** Set by scripts/chaos.mjs where it gave this process a network of its own. */
  ownNetwork: boolean;
}

function parseWish(): Wish | 'help' {
  const options = {
    seed: { type: 'string' },
    sequences: { type: 'string', default: '10' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    values = parseArgs({ options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return 'help';
  return {
    seed: values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeOf('--seed', values.seed),
    sequences: Math.max(1, wholeOf('--sequences', values.sequences)),
    json: values.json ?? null,
    ownNetwork: process.env.MQTTLAB_CHAOS_NETWORK === 'own',
  };
}

function wholeOf(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option} needs a whole number, not "${text}"`);
  return Number(text);
}

/** What is wrong after the sequence; nothing where all is well. Never rejects. */
async function play(bench: ChaosBench, { draft, steps }: Sequence): Promise<string[]> {
  try {
    const id = await startExperiment(bench.server, draft);
    bench.experimentId = id;
    await playSteps(bench, steps);
    return await findDamage(bench, await settle(bench, id));
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return [words, ...(bench.server.words === '' ? [] : [bench.server.words.slice(-2_000)])];
  }
}

async function main(): Promise<void> {
  const wish = parseWish();
  if (wish === 'help') {
    console.log(usage);
    return;
  }
  if (process.env.MQTTLAB_CHAOS_LOOK === '1') return;
  const { seed, sequences, json } = wish;
  const means = findMeans(wish.ownNetwork);
  const missing = Object.entries(means).flatMap(([name, there]) => (there ? [] : [name]));
  if (missing.length > 0) console.log(`Left out, for this machine does not allow it: ${missing.join(', ')}`);
  const counts = { passed: 0, failed: 0 };
  let bench = new ChaosBench(means);
  await bench.start();
  // Nothing of it stays behind a run that somebody ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void bench.remove().finally(() => process.exit(130)));
  }
  for (let index = 0; index < sequences; index += 1) {
    const sequence = makeSequence(seed + index, means);
    const startedAt = performance.now();
    const damage = await play(bench, sequence);
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const steps = sequence.steps.map(describeStep).join('; ') || 'no fault';
    console.log(`${damage.length === 0 ? 'ok  ' : 'FAIL'} seed ${seed + index} (${took}): ${steps}`);
    counts[damage.length === 0 ? 'passed' : 'failed'] += 1;
    if (damage.length === 0) continue;
    for (const line of damage) console.log(`     ${line}`);
    console.log(`     again: npm run chaos -- --seed ${seed + index} --sequences 1`);
    // What is broken now must not blame the next one.
    await bench.remove();
    bench = new ChaosBench(means);
    await bench.start();
  }
  await bench.remove();
  if (json !== null) writeFileSync(json, JSON.stringify(counts));
  console.log(`${counts.passed} sequences passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

try {
  await main();
} catch (error) {
  console.error(`mqttlab: ${error instanceof Error ? error.message : String(error)}`);
  if (error instanceof UsageError) console.error(usage);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
