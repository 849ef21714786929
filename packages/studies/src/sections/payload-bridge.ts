import { isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { attacksInWords, layersInWords } from '../hecs4mqtt/words.ts';
import { measuredColumns, measuredTable, nameBy, type Quantity, variedAmong } from './measured.ts';
import { cipherLabelOf, costs, latencySentence } from './payload-ciphers.ts';
import { pairSentences } from './relative.ts';
import type { StudyInput, StudySection } from './study-input.ts';

const devices: readonly Quantity[] = [
  { head: 'Publisher', unit: 'µs', metric: 'cpuPerMessage.publisher' },
  { head: 'Local broker', unit: 'µs', metric: 'cpuPerMessage.broker' },
  { head: 'Bridge', unit: 'µs', metric: 'cpuPerMessage.bridge' },
  { head: 'Cloud broker', unit: 'µs', metric: 'cpuPerMessage.cloud-broker' },
  { head: 'Subscriber', unit: 'µs', metric: 'cpuPerMessage.subscriber' },
];

/** What a payload cipher and a bridge add to TLS, which the brokers can read. */
export const layered: StudySection = (input, builder) => {
  const sizes = variedAmong(input.treatments, ['readingBytes']);
  const topology = variedAmong(input.treatments, ['topology']);
  const cloud = variedAmong(input.treatments, ['cloudAuthentication']);
  const nameOf = (one: ComparedTreatment) => {
    const layers = `${nameBy(one, [...topology, 'security', ...cloud])}, ${cipherLabelOf(one)}`;
    return sizes.length > 0 ? `${layers}, ${nameBy(one, sizes)}` : layers;
  };
  builder.table(
    'Layered against TLS only',
    measuredTable(input, { head: 'Cipher and payload', nameOf, quantities: costs }),
  );
  builder.table(
    'CPU time for each message, device by device',
    measuredTable(input, { nameOf, quantities: devices }),
  );
  builder.table(
    'How the study compares both approaches (its table 3), paraphrased; it measured none of it',
    inWords(['Aspect', 'TLS only, one broker', 'Layers, several brokers'], layersInWords),
  );
  builder.heading('Agreement and difference');
  const pairs = input.treatments.flatMap((one) => {
    const alone = input.treatments.find((other) => isTlsOnlyBeside(other, one));
    return alone && one.treatment.levels.payloadCipher !== 'none' ? [[one, alone] as const] : [];
  });
  builder.list(pairSentences(input, 'latency.mean', pairs));
  builder.list(pairSentences(input, 'cpuPerMessage.publisher', pairs));
  builder.paragraph(latencySentence(input));
  builder.paragraph(
    'Protection: TLS alone ends at each broker, which reads and could alter every message. With a payload cipher the local broker sees ciphertext, and behind the bridge so does the cloud broker; only publisher, bridge and subscriber read.',
  );
};

function inWords(heads: readonly string[], rows: DocumentTable['rows']): DocumentTable {
  return { columns: heads.map((head) => ({ head })), rows };
}

/** TLS from end to end, with no payload cipher. */
function isTlsOnlyBeside(other: ComparedTreatment, one: ComparedTreatment): boolean {
  const { levels } = other.treatment;
  return (
    levels.topology !== 're-encrypting bridge' &&
    levels.security !== 'plain' &&
    levels.payloadCipher === 'none' &&
    levels.readingBytes === one.treatment.levels.readingBytes
  );
}

const messages: readonly Quantity[] = [
  { head: 'Sent', unit: 'messages', metric: 'count.sent' },
  { head: 'Altered', unit: 'messages', metric: 'count.altered' },
  { head: 'Rejected', unit: 'messages', metric: 'bridge.rejected' },
  { head: 'Arrived', unit: 'messages', metric: 'count.received' },
  { head: 'Lost', unit: 'messages', metric: 'count.lost' },
];

const bridgeCosts: readonly Quantity[] = [
  { head: 'Verify and decrypt', unit: 'µs', metric: 'bridge.decryption.mean' },
  { head: 'Encrypt anew (AES-256-GCM)', unit: 'µs', metric: 'bridge.encryption.mean' },
  { head: 'CPU per message, bridge', unit: 'µs', metric: 'cpuPerMessage.bridge' },
  { head: 'Memory, bridge', unit: 'MB', metric: 'memory.bridge.mean' },
  { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
];

const heartbeats: readonly Quantity[] = [
  { head: 'Local broker, median answer', unit: 'ms', metric: 'bridge.heartbeat.local' },
  { head: 'Cloud broker, median answer', unit: 'ms', metric: 'bridge.heartbeat.cloud' },
  { head: 'Missed', unit: 'heartbeats', metric: 'bridge.missedHeartbeats' },
  { head: 'Another broker taken', unit: 'times', metric: 'bridge.failovers' },
];

/** What the bridge let through and what not, cipher by cipher. */
export const tamperLog: StudySection = (input, builder) => {
  const judged = input.treatments.map((one) => ({ one, ...judge(input, one) }));
  builder.table(
    'Tamper log: messages with one bit flipped behind the publisher, mean over runs',
    makeTable(judged, [
      { head: 'Cipher', of: ({ one }) => cipherLabelOf(one) },
      ...measuredColumns(input, messages),
      {
        head: 'Runs with every altered message rejected, and no other',
        of: ({ right, all }) => `${right} of ${all}`,
      },
    ]),
  );
  builder.table(
    'What the bridge does for each message',
    measuredTable(input, { head: 'Cipher', nameOf: cipherLabelOf, quantities: bridgeCosts }),
  );
  builder.table(
    'Status of the brokers by heartbeats of the bridge; the page of each run has its changes',
    measuredTable(input, { head: 'Cipher', nameOf: cipherLabelOf, quantities: heartbeats }),
  );
  builder.table(
    'Attacks that the study answers in words, by MITRE ATT&CK',
    inWords(['Technique', 'Answer of the study', 'Here'], attacksInWords),
  );
  builder.heading('Agreement and difference');
  const right = judged.reduce((sum, one) => sum + one.right, 0);
  const all = judged.reduce((sum, one) => sum + one.all, 0);
  builder.paragraph(
    right === all && all > 0
      ? `In all ${all} runs every altered message was rejected at the bridge and counted, and no other, as the study reports.`
      : `In ${right} of ${all} runs the bridge rejected exactly the altered messages; the study reports that it rejects all of them.`,
  );
};

/** Runs in which the bridge rejected exactly what was altered, and those that can be judged. */
function judge(input: StudyInput, { runs }: ComparedTreatment): { right: number; all: number } {
  const counts = ['count.altered', 'bridge.rejected'];
  const judged = runs.filter(
    (run) =>
      (input.flagged || counts.every((metric) => !isFlaggedForId(run, metric))) &&
      (run.metrics['count.altered'] ?? 0) > 0,
  );
  const right = judged.filter(({ metrics }) => metrics['bridge.rejected'] === metrics['count.altered']);
  return { right: right.length, all: judged.length };
}
