import { type Claim, contrast, type Derived } from '@mqttlab/shared/analysis/claims/claim';
import { countRuns } from '@mqttlab/shared/analysis/claims/lines';
import { isWireless, needsTreatment } from '../claims/common.ts';

export const roles = ['broker', 'publisher', 'subscriber'] as const;
const chacha = { cipherSuite: 'TLS_CHACHA20_POLY1305_SHA256' };
const aes = { cipherSuite: 'TLS_AES_256_GCM_SHA384' };
const batched = (levels: Readonly<Record<string, unknown>>) => Number(levels.readingsPerMessage) > 1;
const single = { readingsPerMessage: 1 };
const abstract = 27;

/** Returns the value per reading, regardless of the number of readings in a message. */
function perReading(metric: string, label: string, unit: string): Derived {
  return {
    label,
    unit,
    kind: 'positive',
    metrics: [metric],
    of: ([value], { readingsPerMessage }) =>
      value === undefined ? null : value / Number(readingsPerMessage ?? 1),
  };
}

/** Time for 10,000 readings at the measured arrival rate. */
export const executionTime: Derived = {
  label: 'execution time',
  unit: 's',
  kind: 'positive',
  metrics: ['rate.readings'],
  of: ([rate]) => (rate === undefined || rate <= 0 ? null : 10_000 / rate),
};

export const wirePerReading = perReading('wire.perMessage', 'wire bytes per reading', 'B');
const cpuAt = (role: string) =>
  perReading(`cpuPerMessage.${role}`, `CPU time per reading on the ${role}`, 'µs');
export const cpuPerReading = {
  broker: cpuAt('broker'),
  publisher: cpuAt('publisher'),
  subscriber: cpuAt('subscriber'),
};
export const energyPerReading = perReading('energyPerMessage.total', 'energy per reading', 'mJ');
const chachaCosts = {
  measures: [...roles.map((role) => `cpuPerMessage.${role}`), executionTime, 'energyPerMessage.total'],
  of: chacha,
  against: aes,
  who: 'ChaCha20 over AES-256-GCM',
  expect: 'lower',
} as const;

/** CPU use of the busiest role. */
export const busiest: Derived = {
  label: 'largest CPU of a role',
  unit: '%',
  kind: 'positive',
  metrics: roles.map((role) => `cpu.${role}`),
  of: (values) => Math.max(...values),
};

export const v2xTlsClaims: readonly Claim[] = [
  {
    id: 'V1',
    part: 'a',
    line: abstract,
    printed: ['feasible'],
    says: 'TLS 1.3 is feasible on the boards.',
    test: countRuns(
      {
        label: 'runs under TLS 1.3 with every message delivered',
        measure: 'count.lost',
        where: { security: 'TLS 1.3' },
        isRight: (messages) => messages === 0,
      },
      {
        label: 'runs in which no role used a full core',
        measure: busiest,
        where: { security: 'TLS 1.3' },
        isRight: (percent) => percent < 100,
        detail: (all) => `at most ${Math.max(...all).toFixed(0)} %`,
      },
    ),
    see: ['Latency and cost per reading', 'CPU utilisation'],
    note: 'Rate and keep-alive are our choice; the abstract states neither.',
  },
  {
    id: 'V2',
    part: 'a',
    line: abstract,
    printed: ['non-negligible resource overheads'],
    says: 'The overhead of TLS 1.3 is not negligible (judged as 5 % or more of a resource).',
    test: contrast({
      measures: [
        ...roles.map((role) => `cpu.${role}`),
        'setUp.total',
        'energy.total',
        ...roles.map((role) => `memory.${role}.mean`),
        wirePerReading,
      ],
      of: { security: 'TLS 1.3' },
      against: { security: 'plain' },
      who: 'TLS 1.3 over plain',
      expect: { atLeast: 1.05 },
      rule: 'some',
    }),
    see: [
      'CPU utilisation',
      'Memory footprint',
      'Energy',
      'Latency and cost per reading',
      'Wire bytes per reading',
    ],
  },
  {
    id: 'V3',
    part: 'a',
    line: abstract,
    printed: ['reduces transmission cost'],
    says: 'Fewer, larger packets reduce the cost of transmission.',
    test: contrast({
      measures: [wirePerReading, ...Object.values(cpuPerReading), energyPerReading],
      of: batched,
      against: single,
      across: ['readingsPerMessage'],
      who: 'batched over single',
      expect: 'lower',
    }),
    see: ['Wire bytes per reading', 'Latency and cost per reading'],
  },
  {
    id: 'V4',
    part: 'a',
    line: abstract,
    printed: ['latency'],
    says: 'Fewer, larger packets reduce latency.',
    test: contrast({
      measures: ['latency.mean'],
      of: batched,
      against: single,
      across: ['readingsPerMessage'],
      who: 'batched over single',
      expect: 'lower',
    }),
    see: ['Latency and cost per reading'],
    note: 'A reading waits until its message is full, so batching increases the age of readings. The table shows both message latency and reading age.',
  },
  {
    id: 'V5',
    part: 'c',
    line: abstract,
    printed: ['ChaCha20_Poly1305 outperforms AES_256_GCM'],
    says: 'ChaCha20-Poly1305 outperforms AES-256-GCM.',
    test: contrast({ ...chachaCosts, where: { aesInstructions: 'off' } }),
    needs: needsTreatment(
      { aesInstructions: 'off' },
      'the published boards have no AES instructions, and this CPU’s AES instructions cannot be switched off',
    ),
    see: ['CPU time per message', 'Execution time and energy'],
    note: 'Judged without AES instructions, as on the published boards. The figure shows results with and without them.',
  },
  {
    id: 'V6',
    part: 'a',
    line: abstract,
    printed: ['particularly in wireless scenarios'],
    says: 'ChaCha20-Poly1305 outperforms AES-256-GCM particularly over wireless links.',
    test: contrast({
      ...chachaCosts,
      measures: ['cpu.publisher', 'latency.mean', 'energy.publisher'],
      where: isWireless,
    }),
    needs: needsTreatment(isWireless, 'the testbed has no wireless link'),
    see: ['CPU utilisation', 'Latency and cost per reading', 'Energy'],
  },
];
