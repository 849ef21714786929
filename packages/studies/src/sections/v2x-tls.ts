import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { agreeOn, distinctBy, measuredColumns, nameBy, type Quantity, variedAmong } from './measured.ts';
import { judgePairs, type Pair, resolvedSentences, withLevels } from './relative.ts';
import type { StudyInput, StudySection } from './study-input.ts';
import { addPhaseStacks, addRoleBars, addRoleTable, type RoleResponse, security } from './v2x-costs.ts';

const setUp: readonly Quantity[] = [
  { head: 'TCP', unit: 'ms', metric: 'setUp.tcp' },
  { head: 'TLS', unit: 'ms', metric: 'setUp.tls' },
  { head: 'CONNECT', unit: 'ms', metric: 'setUp.connect' },
  { head: 'Set-up', unit: 'ms', metric: 'setUp.total' },
  { head: 'Set-up CPU', unit: 'ms', metric: 'setUp.cpu' },
  { head: 'Set-up bytes', unit: 'B', metric: 'setUp.bytes' },
];

const roleTables: readonly { caption: string; quantities: readonly Quantity[] }[] = [
  {
    caption: 'CPU and memory of each role, by cipher, packaging and interface',
    quantities: [
      { head: 'CPU, broker', unit: '%', metric: 'cpu.broker' },
      { head: 'publisher', unit: '%', metric: 'cpu.publisher' },
      { head: 'subscriber', unit: '%', metric: 'cpu.subscriber' },
      { head: 'Memory, broker', unit: 'MB', metric: 'memory.broker.mean' },
      { head: 'publisher', unit: 'MB', metric: 'memory.publisher.mean' },
      { head: 'subscriber', unit: 'MB', metric: 'memory.subscriber.mean' },
    ],
  },
  {
    caption: 'Energy, goodput and latency, by cipher, packaging and interface',
    quantities: [
      { head: 'Energy, broker', unit: 'J', metric: 'energy.broker' },
      { head: 'publisher', unit: 'J', metric: 'energy.publisher' },
      { head: 'subscriber', unit: 'J', metric: 'energy.subscriber' },
      { head: 'Goodput', unit: 'kbit/s', metric: 'rate.goodput', scale: 1e-3 },
      { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
      { head: 'Reading age', unit: 'ms', metric: 'readingAge.mean' },
    ],
  },
];

const ofRoles: readonly RoleResponse[] = [
  {
    title: 'CPU utilisation',
    caption: 'In percent of one core, while the load runs.',
    unit: '%',
    metricOf: (role) => `cpu.${role}`,
  },
  {
    title: 'Energy',
    caption: 'Of the whole device while measuring; roles that share one machine share its energy.',
    unit: 'J',
    metricOf: (role) => `energy.${role}`,
  },
  {
    title: 'Memory footprint',
    caption: 'Mean resident memory of the process.',
    unit: 'MB',
    metricOf: (role) => `memory.${role}.mean`,
  },
];

const cpuPerMessage: RoleResponse = {
  title: 'CPU time for each message',
  caption: 'Of the process; a message carries as many readings as its packaging says.',
  unit: 'µs',
  metricOf: (role) => `cpuPerMessage.${role}`,
};

const readingsOf = ({ treatment }: ComparedTreatment) => Number(treatment.levels.readingsPerMessage ?? 1);

const wireBytes: RoleResponse = {
  title: 'Bytes on the wire for each reading',
  caption:
    'Cost of transmission: bytes below TLS at the publisher, both directions, for a message over its readings.',
  unit: 'B',
  metricOf: 'wire.perMessage',
  scale: (one) => 1 / readingsOf(one),
};

const goodputs: readonly RoleResponse[] = [
  {
    title: 'Goodput',
    caption: 'Payload that arrived, for each second.',
    unit: 'Mbit/s',
    metricOf: 'rate.goodput',
    scale: 1e-6,
  },
];

const atFullSpeed: readonly RoleResponse[] = [
  {
    title: 'Execution time for 10,000 readings',
    caption:
      'From the rate at which they arrived at full speed: the same data as many small or as fewer, larger messages.',
    unit: 's',
    metricOf: 'rate.readings',
    scale: 10_000,
    invert: true,
  },
  {
    title: 'CPU time for 10,000 readings, by role',
    caption: 'What each role computes for the same data.',
    unit: 's',
    metricOf: (role) => `cpuPerMessage.${role}`,
    scale: (one) => 1e-2 / readingsOf(one),
  },
  ...goodputs,
];

/** Cost of each phase, cost of each role by cipher and packaging, and the three findings of the abstract. */
export const v2xPhases: StudySection = (input, builder) => {
  const kinds = distinctBy(input.treatments, security).map((one) => ({ one }));
  builder.table(
    'Setting a connection up, by phase, at the publisher',
    makeTable(kinds, [
      { head: 'Security', of: ({ one }) => nameBy(one, security) },
      ...measuredColumns(input, setUp),
    ]),
  );
  // The third finding depends on them.
  builder.table(
    'What the CPU of each device can do',
    makeTable(input.facts.devices ?? [], [
      { head: 'Role', of: ({ role }) => role },
      { head: 'CPU', of: ({ cpuModel }) => cpuModel ?? 'unknown' },
      {
        head: 'AES instructions',
        of: ({ cpuFeatures }) =>
          cpuFeatures === null ? 'unknown' : cpuFeatures.includes('aes') ? 'yes' : 'no',
      },
      { head: 'Features told', of: ({ cpuFeatures }) => cpuFeatures?.join(', ') || 'none' },
    ]),
  );
  addPhaseStacks(builder, input);
  builder.heading('The three roles');
  for (const table of roleTables) addRoleTable(builder, input, table);
  for (const response of [...ofRoles, cpuPerMessage, wireBytes]) addRoleBars(builder, input, response);
  addFindings(input, builder);
};

/** The same at full speed: how long so many readings take, and how many get through. */
export const v2xFullSpeed: StudySection = (input, builder) => {
  for (const response of atFullSpeed) addRoleBars(builder, input, response);
  for (const table of roleTables) addRoleTable(builder, input, table);
  for (const response of ofRoles) addRoleBars(builder, input, response);
  addFindings(input, builder);
};

/** The third finding on one CPU, with its AES instructions and as a board without them computes. */
export const v2xInstructions: StudySection = (input, builder) => {
  for (const response of [cpuPerMessage, ...goodputs]) addRoleBars(builder, input, response);
  for (const table of roleTables) addRoleTable(builder, input, table);
  if (!input.treatments.some(({ treatment }) => treatment.levels.aesInstructions === 'off')) {
    builder.note('Gap: AES instructions could not be switched off on this testbed.');
  }
  addFindings(input, builder);
};

interface Finding {
  words: string;
  metrics: readonly { metric: string; expected: 'lower' | 'higher' }[];
  /** Which configurations it is about, and which levels the other of each pair has instead. */
  isOf: (levels: Levels) => boolean;
  against: (levels: Levels) => Record<string, string | number>;
}

type Levels = ComparedTreatment['treatment']['levels'];

const isChaCha = ({ cipherSuite }: Levels) => cipherSuite === 'TLS_CHACHA20_POLY1305_SHA256';

/** For each message: at full speed every process takes all of the CPU that it gets. */
const chachaCosts = [
  { metric: 'cpuPerMessage.broker', expected: 'lower' },
  { metric: 'cpuPerMessage.publisher', expected: 'lower' },
] as const;

const findings: readonly Finding[] = [
  {
    words: '(i) TLS 1.3 is feasible at non-negligible cost',
    metrics: [
      { metric: 'cpu.publisher', expected: 'higher' },
      { metric: 'setUp.total', expected: 'higher' },
    ],
    isOf: (levels) => levels.security === 'TLS 1.3',
    against: () => ({ security: 'plain' }),
  },
  {
    words: '(ii) fewer, larger messages cut transmission cost and latency',
    metrics: [
      { metric: 'cpu.broker', expected: 'lower' },
      { metric: 'latency.mean', expected: 'lower' },
    ],
    isOf: ({ readingsPerMessage }) => Number(readingsPerMessage) > 1,
    against: (levels) => ({
      readingsPerMessage: 1,
      security: levels.security ?? '',
      ...(levels.cipherSuite ? { cipherSuite: levels.cipherSuite } : {}),
    }),
  },
  {
    words: '(iii) ChaCha20-Poly1305 beats AES-256-GCM',
    metrics: chachaCosts,
    isOf: (levels) => isChaCha(levels) && levels.aesInstructions !== 'off',
    against: () => ({ cipherSuite: 'TLS_AES_256_GCM_SHA384' }),
  },
  {
    words:
      '(iii) ChaCha20-Poly1305 beats AES-256-GCM; with AES instructions switched off, as its boards have none',
    metrics: chachaCosts,
    isOf: (levels) => isChaCha(levels) && levels.aesInstructions === 'off',
    against: () => ({ cipherSuite: 'TLS_AES_256_GCM_SHA384' }),
  },
  {
    words: '(iii, on wireless links) it does so particularly there',
    metrics: [
      { metric: 'cpu.publisher', expected: 'lower' },
      { metric: 'latency.mean', expected: 'lower' },
      { metric: 'energy.publisher', expected: 'lower' },
    ],
    isOf: (levels) => isChaCha(levels) && isWireless(levels.link),
    against: () => ({ cipherSuite: 'TLS_AES_256_GCM_SHA384' }),
  },
];

/** By the name of the link, which is that of its interface where nobody gave another. */
function isWireless(link: unknown): boolean {
  return /^wl|wi-?fi|wireless/i.test(String(link));
}

function addFindings(input: StudyInput, builder: DocumentBuilder): void {
  builder.note(
    'We hold the abstract of the study only: it gives findings and no figures to set beside these.',
  );
  if (!input.treatments.some(({ treatment }) => isWireless(treatment.levels.link))) {
    builder.note('Gap: no wireless link was run, so that the third finding is not judged on one.');
  }
  builder.heading('Agreement and difference');
  for (const finding of findings) {
    const pairs = pairsOf(input, finding);
    if (pairs.length === 0) continue;
    const judged = finding.metrics.map((question) => judgePairs(input, { ...question, pairs }));
    builder.paragraph(`As published: ${finding.words}. Here: ${judged.join(' ')}`);
    builder.list(finding.metrics.flatMap(({ metric }) => resolvedSentences(input, metric, pairs)));
  }
  if (variedAmong(input.treatments, ['readingsPerMessage']).length > 0) {
    builder.paragraph(
      'A reading waits in its batch until the message is full: batching lowers the latency of messages and raises the age of readings, which the table shows beside it.',
    );
  }
  if (variedAmong(input.treatments, ['aesInstructions']).length === 0) {
    builder.paragraph(
      'The third finding is expected to turn round where the CPU has AES instructions; part c switches them off.',
    );
  }
}

/** What a pair has in common unless the finding is about it. */
const alike = ['link', 'readingsPerMessage', 'aesInstructions'];

/** Pairs that differ in the subject of the finding only. A factor that does not apply to one side does not count. */
function pairsOf({ treatments }: StudyInput, { isOf, against }: Finding): Pair[] {
  return treatments.flatMap((one) => {
    const { levels } = one.treatment;
    if (!isOf(levels)) return [];
    const wanted = against(levels);
    const same = alike.filter((id) => !(id in wanted));
    const other = withLevels(treatments, wanted).find(
      (candidate) => candidate !== one && agreeOn(candidate, one, same),
    );
    return other ? [[one, other] as const] : [];
  });
}
