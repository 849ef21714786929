import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { judgePairs, resolvedSentences, withLevels } from '../relative.ts';
import {
  distinctBy,
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
} from '../study-input.ts';
import { addRoleBars, addRoleTable, type RoleColumn, type RoleResponse, security } from './v2x-bars.ts';
import { addPhaseStacks } from './v2x-stacks.ts';

const aes = 'TLS_AES_256_GCM_SHA384';
const chacha = 'TLS_CHACHA20_POLY1305_SHA256';

const phases = [
  { head: 'TCP', unit: 'ms', metric: 'setUp.tcp' },
  { head: 'TLS', unit: 'ms', metric: 'setUp.tls' },
  { head: 'CONNECT', unit: 'ms', metric: 'setUp.connect' },
  { head: 'Set-up', unit: 'ms', metric: 'setUp.total' },
  { head: 'Set-up CPU', unit: 'ms', metric: 'setUp.cpu' },
  { head: 'Set-up bytes', unit: 'B', metric: 'setUp.bytes' },
] as const;

const roleTables: readonly { caption: string; columns: readonly RoleColumn[] }[] = [
  {
    caption: 'CPU and memory of each role, by cipher, packaging and interface',
    columns: [
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
    columns: [
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

const goodput: RoleResponse = {
  title: 'Goodput',
  caption: 'Payload that arrived, for each second.',
  unit: 'Mbit/s',
  metricOf: 'rate.goodput',
  scale: 1e-6,
};

/** Cost of each phase, cost of each role by cipher and packaging, and the three findings of the abstract. */
export const v2xPhases: StudySection = (input, builder) => {
  const kinds = distinctBy(input.treatments, security);
  builder.table('Setting a connection up, by phase, at the publisher', {
    columns: [{ head: 'Security' }, ...phases],
    rows: kinds.map((one) => [
      nameBy(one, security),
      ...phases.map(({ metric }) => measuredCell(measured(input, one, metric))),
    ]),
  });
  addDevices(builder, input);
  addPhaseStacks(builder, input);
  builder.heading('The three roles');
  for (const table of roleTables) addRoleTable(builder, input, table);
  for (const response of ofRoles) addRoleBars(builder, input, response);
  addRoleBars(builder, input, {
    title: 'CPU time for each message',
    caption: 'Of the process; a message carries as many readings as its packaging says.',
    unit: 'µs',
    metricOf: (role) => `cpuPerMessage.${role}`,
  });
  addFindings(input, builder);
};

/** The third finding depends on them. */
function addDevices(builder: DocumentBuilder, { facts }: StudyInput): void {
  builder.table('What the CPU of each device can do', {
    columns: [{ head: 'Role' }, { head: 'CPU' }, { head: 'AES instructions' }, { head: 'Features told' }],
    rows: (facts.devices ?? []).map(({ role, cpuModel, cpuFeatures }) => [
      role,
      cpuModel ?? 'not told',
      cpuFeatures === null ? 'not told' : cpuFeatures.includes('aes') ? 'yes' : 'no',
      cpuFeatures?.join(', ') || 'none',
    ]),
  });
}

/** The same at full speed: how long so many readings take, and how many get through. */
export const v2xFullSpeed: StudySection = (input, builder) => {
  addRoleBars(builder, input, {
    title: 'Execution time for 10,000 readings',
    caption:
      'From the rate at which they arrived at full speed: the same data as many small or as fewer, larger messages.',
    unit: 's',
    metricOf: 'rate.readings',
    scale: 10_000,
    invert: true,
  });
  addRoleBars(builder, input, goodput);
  for (const table of roleTables) addRoleTable(builder, input, table);
  for (const response of ofRoles) addRoleBars(builder, input, response);
  addFindings(input, builder);
};

interface Finding {
  words: string;
  metrics: readonly { metric: string; expected: 'lower' | 'higher' }[];
  pairs(input: StudyInput): Pair[];
}

const findings: readonly Finding[] = [
  {
    words: '(i) TLS 1.3 is feasible at non-negligible cost',
    metrics: [
      { metric: 'cpu.publisher', expected: 'higher' },
      { metric: 'setUp.total', expected: 'higher' },
    ],
    pairs: againstPlain,
  },
  {
    words: '(ii) fewer, larger messages cut transmission cost and latency',
    metrics: [
      { metric: 'cpu.broker', expected: 'lower' },
      { metric: 'latency.mean', expected: 'lower' },
    ],
    pairs: againstUnbatched,
  },
  {
    words: '(iii) ChaCha20-Poly1305 beats AES-256-GCM',
    metrics: [
      { metric: 'cpu.broker', expected: 'lower' },
      { metric: 'cpu.publisher', expected: 'lower' },
    ],
    pairs: againstAes,
  },
];

function addFindings(input: StudyInput, builder: DocumentBuilder): void {
  builder.note(
    'Only the abstract of the study is public: it gives findings and no figures to set beside these.',
  );
  builder.heading('Agreement and difference');
  for (const { words, metrics, pairs } of findings) {
    const own = pairs(input);
    if (own.length === 0) continue;
    const judged = metrics.map(({ metric, expected }) => judgePairs(input, { metric, expected, pairs: own }));
    builder.paragraph(`As published: ${words}. Here: ${judged.join(' ')}`);
    builder.list(metrics.flatMap(({ metric }) => resolvedSentences(input, metric, own)));
  }
  builder.paragraph(
    'A reading waits in its batch until the message is full: batching lowers the latency of messages and raises the age of readings, which the table shows beside it. The third finding is expected to turn round where the CPU has AES instructions.',
  );
}

type Pair = readonly [ComparedTreatment, ComparedTreatment];

function pairUp(
  input: StudyInput,
  from: readonly ComparedTreatment[],
  change: (levels: ComparedTreatment['treatment']['levels']) => Record<string, string | number>,
): Pair[] {
  return from.flatMap((one) => {
    const { levels } = one.treatment;
    const { link, readingsPerMessage } = levels;
    const same = { link: link ?? '', readingsPerMessage: readingsPerMessage ?? 1, ...change(levels) };
    const other = withLevels(input.treatments, same)[0];
    return other && other !== one ? [[one, other] as const] : [];
  });
}

function againstPlain(input: StudyInput): Pair[] {
  return pairUp(input, withLevels(input.treatments, { security: 'TLS 1.3' }), () => ({ security: 'plain' }));
}

function againstUnbatched(input: StudyInput): Pair[] {
  const batched = input.treatments.filter(({ treatment }) => Number(treatment.levels.readingsPerMessage) > 1);
  return pairUp(input, batched, ({ security: level, cipherSuite }) => ({
    readingsPerMessage: 1,
    security: level ?? '',
    ...(cipherSuite === null || cipherSuite === undefined ? {} : { cipherSuite }),
  }));
}

function againstAes(input: StudyInput): Pair[] {
  return pairUp(input, withLevels(input.treatments, { cipherSuite: chacha }), () => ({ cipherSuite: aes }));
}
