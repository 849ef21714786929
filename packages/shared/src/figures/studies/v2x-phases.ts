import type { ComparedTreatment } from '../../domain/comparison.ts';
import { formatNumber } from '../../format/number.ts';
import { figureWidth } from '../treatments.ts';
import { drawBeside } from './draw-beside.ts';
import { pairSentences, withLevels } from './relative.ts';
import {
  distinctBy,
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from './study-input.ts';

const security = ['security', 'cipherSuite'];
const packaging = [...security, 'readingsPerMessage', 'link'];
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

const costs: readonly { head: string; unit: string; metric: string; scale?: number }[] = [
  { head: 'CPU, broker', unit: '%', metric: 'cpu.broker' },
  { head: 'CPU, publisher', unit: '%', metric: 'cpu.publisher' },
  { head: 'CPU, subscriber', unit: '%', metric: 'cpu.subscriber' },
  { head: 'Memory, broker', unit: 'MB', metric: 'memory.broker.mean' },
  { head: 'publisher', unit: 'MB', metric: 'memory.publisher.mean' },
  { head: 'subscriber', unit: 'MB', metric: 'memory.subscriber.mean' },
  { head: 'Goodput', unit: 'kbit/s', metric: 'rate.goodput', scale: 1e-3 },
  { head: 'Energy', unit: 'J', metric: 'energy.total' },
  { head: 'Reading age', unit: 'ms', metric: 'readingAge.mean' },
];

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
  builder.table('Transfer: cost for each role, by cipher and packaging', {
    columns: [{ head: 'Configuration' }, ...costs],
    rows: input.treatments.map((one) => [
      nameOf(input, one),
      ...costs.map(({ metric, scale }) => measuredCell(measured(input, one, metric), scale)),
    ]),
  });
  builder.figure('CPU of the three roles', 'In percent of one core, while readings are sent at one rate.', {
    picture: drawBeside({
      palette: input.palette,
      rows: cpuRows(input),
      xLabel: '% of one core',
      width: figureWidth,
      label: 'CPU by role',
    }),
    table: {
      columns: [{ head: 'Configuration' }, ...costs.slice(0, 3)],
      rows: input.treatments.map((one) => [
        nameOf(input, one),
        ...costs.slice(0, 3).map(({ metric }) => measuredCell(measured(input, one, metric))),
      ]),
    },
  });
  builder.note(
    'Only the abstract of the study is public: it gives findings and no figures to set beside these.',
  );
  builder.heading('The findings of the study, here');
  builder.paragraph('(i) TLS 1.3 is feasible at non-negligible cost:');
  builder.list(pairSentences(input, 'cpu.publisher', againstPlain(input)));
  builder.paragraph('(ii) Fewer, larger messages cut transmission cost:');
  builder.list(pairSentences(input, 'cpu.broker', againstUnbatched(input)));
  builder.paragraph(
    '(iii) ChaCha20-Poly1305 beats AES-256-GCM (expected to turn round where the CPU has AES instructions):',
  );
  builder.list(pairSentences(input, 'cpu.broker', againstAes(input)));
};

function nameOf({ treatments }: StudyInput, one: ComparedTreatment): string {
  const varied = variedAmong(treatments, packaging);
  return nameBy(one, varied.length > 0 ? varied : security);
}

function cpuRows(input: StudyInput) {
  return costs.slice(0, 3).flatMap(({ head, metric }) =>
    input.treatments.map((one, index) => {
      const found = measured(input, one, metric);
      const name = nameOf(input, one);
      return {
        label: name,
        ...(index === 0 ? { group: head } : {}),
        published: [],
        measured: found
          ? [{ mark: one.treatment.mark, ...found, tip: `${name}: ${formatNumber(found.value)} %` }]
          : [],
      };
    }),
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
