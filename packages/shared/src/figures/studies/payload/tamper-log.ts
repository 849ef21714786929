import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { measured, measuredCell, type StudyInput, type StudySection } from '../study-input.ts';
import { cipherLabelOf } from '../tls/cipher-bars.ts';

const columns = [
  { head: 'Sent', metric: 'count.sent' },
  { head: 'Altered', metric: 'count.altered' },
  { head: 'Rejected', metric: 'bridge.rejected' },
  { head: 'Arrived', metric: 'count.received' },
  { head: 'Lost', metric: 'count.lost' },
] as const;

/** Runs in which the bridge rejected exactly what was altered, and those that can be judged. */
function judge(input: StudyInput, { runs }: ComparedTreatment): { right: number; all: number } {
  const judged = runs.filter(
    ({ flagged, metrics }) => (input.flagged || !flagged) && (metrics['count.altered'] ?? 0) > 0,
  );
  const right = judged.filter(({ metrics }) => metrics['bridge.rejected'] === metrics['count.altered']);
  return { right: right.length, all: judged.length };
}

/** What the bridge let through and what not, cipher by cipher. */
export const tamperLog: StudySection = (input, builder) => {
  builder.table('Tamper log: messages with one bit flipped behind the publisher, mean over runs', {
    columns: [
      { head: 'Cipher' },
      ...columns.map(({ head }) => ({ head, unit: 'messages' })),
      { head: 'Runs with every altered message rejected, and no other' },
    ],
    rows: input.treatments.map((one) => {
      const { right, all } = judge(input, one);
      return [
        cipherLabelOf(one),
        ...columns.map(({ metric }) => measuredCell(measured(input, one, metric))),
        `${right} of ${all}`,
      ];
    }),
  });
  builder.table('What the bridge does for each message', {
    columns: [
      { head: 'Cipher' },
      { head: 'Verify and decrypt', unit: 'µs' },
      { head: 'Encrypt anew (AES-256-GCM)', unit: 'µs' },
      { head: 'CPU per message, bridge', unit: 'µs' },
      { head: 'Memory, bridge', unit: 'MB' },
      { head: 'Latency', unit: 'ms' },
    ],
    rows: input.treatments.map((one) => [
      cipherLabelOf(one),
      ...bridgeCosts.map((metric) => measuredCell(measured(input, one, metric))),
    ]),
  });
  builder.heading('Agreement and difference');
  const totals = input.treatments.map((one) => judge(input, one));
  const right = totals.reduce((sum, one) => sum + one.right, 0);
  const all = totals.reduce((sum, one) => sum + one.all, 0);
  builder.paragraph(
    right === all && all > 0
      ? `In all ${all} runs every altered message was rejected at the bridge and counted, and no other, as the study reports.`
      : `In ${right} of ${all} runs the bridge rejected exactly the altered messages; the study reports that it rejects all of them.`,
  );
};

const bridgeCosts = [
  'bridge.decryption.mean',
  'bridge.encryption.mean',
  'cpuPerMessage.bridge',
  'memory.bridge.mean',
  'latency.mean',
] as const;
