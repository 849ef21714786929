import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { formatCount, formatNumber } from '../../format/number.ts';
import type { DocumentBuilder, DocumentTable } from '../document/blocks.ts';
import { figureWidth, makeFigureContext } from '../drawing/treatments.ts';
import { drawLines } from '../lines-figure.ts';
import { type BesideRow, drawBeside } from './draw-beside.ts';
import {
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from './study-input.ts';

const factors = ['abuse', 'security', 'brokerHardening'];

const columns = [
  { head: 'Reached', unit: '%', metric: 'availability.reached' },
  { head: 'Median', unit: 'ms', metric: 'availability.connect.p50' },
  { head: 'P95', unit: 'ms', metric: 'availability.connect.p95' },
  { head: 'Outage', unit: 's', metric: 'availability.outage' },
  { head: 'Held', unit: '', metric: 'availability.held' },
  { head: 'Gained', unit: 'MB', metric: 'availability.memoryGrowth' },
  { head: 'At the end', unit: 'MB', metric: 'availability.memoryAtEnd' },
  { head: 'CPU', unit: '%', metric: 'cpu.broker' },
] as const;

/** What is drawn over time, as far as the runs have it. */
const courses = [
  { role: 'subscriber', metric: 'probe.reached', title: 'Whether a legitimate client gets in' },
  { role: 'publisher', metric: 'abuse.held', title: 'What the abuser holds' },
  { role: 'broker', metric: 'memory.resident', title: 'Memory of the broker' },
] as const;

/** Experiment 4 of the study: can a client connect, how fast, and what does the broker's memory do. */
export const availability: StudySection = (input, builder) => {
  const { treatments } = input;
  const varied = variedAmong(treatments, factors);
  const nameOf = (one: ComparedTreatment) => nameBy(one, varied.length > 0 ? varied : ['brokerHardening']);
  const table = tableOf(input, nameOf);
  builder.figure(
    'Attempts of a legitimate client that reached the broker',
    'In percent of its attempts while the broker was abused, one every 0.1 s; each gives up after 2 s.',
    {
      picture: drawBeside({
        palette: input.palette,
        rows: treatments.flatMap((one): BesideRow[] => {
          const found = measured(input, one, 'availability.reached');
          const { mark } = one.treatment;
          const tip = `${nameOf(one)}: ${formatNumber(found?.value ?? 0)} %`;
          return found ? [{ label: nameOf(one), measured: [{ mark, ...found, tip }], published: [] }] : [];
        }),
        xLabel: '% of attempts',
        width: figureWidth,
        label: 'Attempts that reached the broker, by configuration of the broker',
      }),
      table,
    },
  );
  builder.table(
    'Attempts that reached the broker and the time of those to connect, longest outage, connections or sessions held, memory and CPU of the broker',
    table,
  );
  drawCourses(input, builder);
  builder.table('What the configurations of the broker differ in', limits);
  builder.heading('Agreement and difference');
  builder.note(
    'Gap: what the study measured in this experiment is not among the figures that we have of it, so that nothing stands beside.',
  );
  for (const sentence of explain(input, nameOf)) builder.paragraph(sentence);
};

function tableOf(input: StudyInput, nameOf: (one: ComparedTreatment) => string): DocumentTable {
  return {
    columns: [
      { head: 'Configuration' },
      ...columns.map(({ head, unit }) => (unit === '' ? { head } : { head, unit })),
    ],
    rows: input.treatments.map((one) => [
      nameOf(one),
      ...columns.map(({ metric }) => measuredCell(measured(input, one, metric))),
    ]),
  };
}

function drawCourses({ report, palette }: StudyInput, builder: DocumentBuilder): void {
  if (report === null || report.treatments.length === 0) return;
  const context = makeFigureContext(report, palette);
  for (const { role, metric, title } of courses) {
    const found = report.series.find((one) => one.role === role && one.metric === metric);
    if (found === undefined || found.treatments.length === 0) continue;
    const series = found.treatments.map(({ treatment, timesMs, mean, lo, hi }) => ({
      treatment,
      points: timesMs.map((ms, i) => ({
        x: ms / 1000,
        y: mean[i] ?? null,
        lo: lo[i] ?? null,
        hi: hi[i] ?? null,
      })),
    }));
    builder.figure(
      title,
      `${found.label}, ${found.unit}; abuse begins at 0 s. Band: 95 % interval over runs.`,
      {
        picture: drawLines(context, {
          label: title,
          xLabel: 's since the abuse began',
          yLabel: found.unit,
          series,
          zero: true,
        }),
        table: {
          columns: [
            { head: 'Configuration' },
            { head: 'Time', unit: 's' },
            { head: found.label, unit: found.unit },
          ],
          rows: series.flatMap(({ treatment, points }) =>
            points.map(({ x, y }) => [context.name(treatment), x, y]),
          ),
        },
      },
    );
  }
}

/** As the agent configures Mosquitto. */
const limits: DocumentTable = {
  columns: [{ head: 'Setting' }, { head: 'As published' }, { head: 'Hardened' }],
  rows: [
    ['max_connections', 'none: as many as the 1,024 files of a service', '500'],
    ['max_keepalive', '65,535 s', '10 s, the least that there is'],
    ['persistent_client_expiration', 'never', '1 h'],
    ['max_queued_messages', '1,000 for each client', '10 for each client'],
    ['max_queued_bytes', 'without limit', '16 KiB for each client'],
    ['max_packet_size', 'without limit', '64 KiB'],
  ],
};

function explain(input: StudyInput, nameOf: (one: ComparedTreatment) => string): string[] {
  const sentences = input.treatments.flatMap((one) => {
    const of = (metric: string) => measured(input, one, metric)?.value ?? null;
    const [reached, outage, held] = [
      of('availability.reached'),
      of('availability.outage'),
      of('availability.held'),
    ];
    if (reached === null || held === null) return [];
    const lasted =
      outage === null || outage === 0 ? '' : `, the longest outage was ${formatNumber(outage)} s`;
    const grown = of('availability.memoryGrowth');
    const memory = grown === null ? '' : `; the broker gained ${formatNumber(grown)} MB`;
    return [
      `Broker ${nameOf(one)}: with ${formatCount(held)} held, ${formatNumber(reached)} % of the attempts reached the broker${lasted}${memory}.`,
    ];
  });
  const isHolding = input.treatments.some(({ treatment }) => treatment.levels.abuse === 'slow keep-alive');
  return [
    ...sentences,
    isHolding
      ? 'A limit of connections keeps no place for anybody: it only bounds what the broker spends. What lets clients in again is the keep-alive limit, which ends a silent connection after one and a half times that time (MQTT 5 section 3.1.2.10); holders here do not come back, an attacker may.'
      : 'Sessions take no connection: whether a client gets in is decided by memory, which limits of queues bound and expiry frees, the latter no sooner than after an hour.',
  ];
}
