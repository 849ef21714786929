import { writeFileSync } from 'node:fs';
import { startExperiment } from '../fixtures/experiments.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';
import { ChaosBench, findMeans } from './chaos-bench.ts';
import { findDamage } from './find-damage.ts';
import { describeStep, makeSequence, type Sequence } from './make-sequence.ts';
import { playSteps } from './play-fault.ts';
import { settle, untilAgentsAreBack } from './settle.ts';

interface Request {
  seed: number;
  sequences: number;
  /** File for the counts and failed sequences; '' for none. */
  json: string;
  /** Set by scripts/chaos.mjs, which validates the arguments, if this process has a separate network. */
  ownNetwork: boolean;
}

function readRequest(): Request {
  const [seed = '1', sequences = '10', json = ''] = process.argv.slice(2);
  return {
    seed: Number(seed),
    sequences: Math.max(1, Number(sequences)),
    json,
    ownNetwork: process.env.MQTTLAB_CHAOS_NETWORK === 'own',
  };
}

/** Problems after the sequence; empty if there are none. Never rejects. */
async function play(bench: ChaosBench, { draft, steps }: Sequence): Promise<string[]> {
  try {
    await untilAgentsAreBack(bench);
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
  const { seed, sequences, json, ownNetwork } = readRequest();
  const means = findMeans(ownNetwork);
  const missing = Object.entries(means).flatMap(([name, there]) => (there ? [] : [name]));
  if (missing.length > 0) console.log(`Not possible on this machine, left out: ${missing.join(', ')}`);
  const counts = { passed: 0, failed: 0, failures: [] as string[] };
  let bench = new ChaosBench(means);
  await bench.start();
  stopOnSignal(() => bench.remove());
  for (let index = 0; index < sequences; index += 1) {
    const sequence = makeSequence(seed + index, means);
    const startedAt = performance.now();
    const damage = await play(bench, sequence);
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    const steps = sequence.steps.map(describeStep).join('; ') || 'no fault';
    console.log(`${damage.length === 0 ? 'ok  ' : 'FAIL'} seed ${seed + index} (${took}): ${steps}`);
    if (damage.length === 0) {
      counts.passed += 1;
      continue;
    }
    counts.failed += 1;
    counts.failures.push(`chaos, seed ${seed + index}: ${damage.join('; ')}`);
    for (const line of damage) console.log(`     ${line}`);
    console.log(`     repeat: npm run chaos -- --seed ${seed + index} --sequences 1`);
    // Existing damage must not affect the next sequence.
    await bench.remove();
    bench = new ChaosBench(means);
    await bench.start();
  }
  await bench.remove();
  if (json !== '') writeFileSync(json, JSON.stringify(counts));
  console.log(`${counts.passed} sequences passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

try {
  await main();
} catch (error) {
  console.error(`mqttlab: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
