import { databasePath } from '../src/store/data-folder.ts';
import { openDatabase } from '../src/store/database.ts';
import { makeExperimentStore } from '../src/store/experiments/experiment-store.ts';
import { makeRunStore } from '../src/store/runs/run-store.ts';
import { playExperiment } from '../src/testing/stores-factory.ts';

const suites = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
const older = ['ECDHE-ECDSA-AES256-GCM-SHA384'];
const payloads = ['none', 'chacha20-poly1305', 'aes-256-gcm'];
const all = ['plain', 'TLS 1.2', 'TLS 1.3'];

/** Numbers of treatments; the largest exceeds the number of colours. */
const factorsOf = {
  2: { security: ['plain', 'TLS 1.3'], cipherSuite: suites.slice(0, 1) },
  6: { security: ['plain', 'TLS 1.3'], cipherSuite: suites.slice(0, 2), qos: [0, 1] },
  16: {
    security: all,
    cipherSuite: [...suites.slice(0, 2), ...older],
    payloadCipher: payloads.slice(0, 2),
    qos: [0, 2],
  },
  60: {
    security: ['TLS 1.2', 'TLS 1.3'],
    cipherSuite: [...suites.slice(0, 2), ...older],
    group: ['X25519', 'P-256'],
    certificate: ['ECDSA P-256', 'RSA 2048'],
    payloadCipher: payloads,
    qos: [0, 1],
  },
};

type Factors = Record<string, (string | number)[]>;

/**
 * Returns the required number of QoS levels, all of which guarantee delivery: messages lost at QoS 0 do not
 * flag a run.
 */
function levelsWithoutLoss({ qos = [1] }: Factors): number[] {
  return qos.length === 1 ? [1] : [1, 2];
}

/** Messages lost per run, by the share of flagged runs: a run with lost messages is flagged. */
const lostBy = {
  none: () => 0,
  some: (treatment: number, block: number) => ((treatment + block) % 5 === 0 ? 2 : 0),
  all: () => 2,
};
type Flagged = keyof typeof lostBy;

/**
 * Fills the data folder named by the first argument with one experiment of 200 runs x 3 devices x 600
 * samples. If numbers of treatments follow, such as `6` or `6:all`, creates one experiment for each: three
 * repetitions, seven samples, and `none`, `some` (the default) or `all` of the runs flagged.
 */
const [folder = '.', ...counts] = process.argv.slice(2);
const database = openDatabase(databasePath(folder));
const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };
if (counts.length === 0) {
  const factors = { ...factorsOf[6], cipherSuite: suites, qos: [0, 1] };
  const { id, runs } = playExperiment(
    stores,
    { name: 'Large', factors, repetitions: 25 },
    (treatment, block) => ({ latencyMs: 1 + treatment + block / 100, samples: 600 }),
  );
  console.log(JSON.stringify({ id, runs: runs.length }));
}
const played = counts.map((argument) => {
  const [count = '', flagged = 'some'] = argument.split(':');
  const lost = lostBy[flagged as Flagged];
  const factors: Factors = factorsOf[Number(count) as keyof typeof factorsOf];
  const { id, plan } = playExperiment(
    stores,
    {
      name: `${count} treatments, ${flagged} flagged`,
      factors: flagged === 'all' ? { ...factors, qos: levelsWithoutLoss(factors) } : factors,
      repetitions: 3,
    },
    (treatment, block) => ({
      latencyMs: (1 + (treatment % 7)) * (1 + ((7 * treatment + 13 * block) % 11) / 60),
      samples: 7,
      lost: lost(treatment, block),
    }),
  );
  return { id, treatments: plan.treatments.length, flagged };
});
if (played.length > 0) console.log(JSON.stringify(played));
database.close();
