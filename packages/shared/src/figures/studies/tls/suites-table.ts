import type { PublishedValue } from '../../../catalogue/studies/published/published-group.ts';
import { findPublished } from '../../../catalogue/studies/published.ts';
import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatCount, formatNumber, NO_VALUE } from '../../../format/number.ts';
import { figureWidth } from '../../drawing/treatments.ts';
import { type BesideRow, drawBeside } from '../draw-beside.ts';
import { type BoxRow, boxTable, drawBoxRows } from '../draw-box-rows.ts';
import { measured, nameBy, type StudyInput, type StudySection, variedAmong } from '../study-input.ts';

/** As published. */
const clients = 10;

interface SuiteRow {
  one: ComparedTreatment;
  name: string;
  bandwidth: number;
}

/** Best and worst suite, the responses by suite, and box plots of message time. */
export const suitesTable: StudySection = (input, builder) => {
  const varied = variedAmong(input.treatments, ['link', 'mqttVersion', 'qos']);
  const all = input.treatments
    .flatMap((one): SuiteRow[] => {
      const found = measured(input, one, 'rate.messages');
      const suite = String(one.treatment.levels.cipherSuite);
      const name = [suite, ...(varied.length > 0 ? [nameBy(one, varied)] : [])].join(' ');
      return found ? [{ one, name, bandwidth: found.value }] : [];
    })
    .sort((a, b) => b.bandwidth - a.bandwidth);
  // A loaded machine may carry nothing in a short measure phase: no worst suite, but a gap.
  const rows = all.filter(({ bandwidth }) => bandwidth > 0);
  const silent = all.filter(({ bandwidth }) => bandwidth <= 0);
  builder.table('Best and worst suite, as printed and here', bestAndWorst(input, rows));
  const byQos = Map.groupBy(rows, ({ one }) => String(one.treatment.levels.qos ?? ''));
  for (const { title, caption, metric, unit, order } of bars) {
    builder.figure(title, caption, {
      picture: drawBeside({
        palette: input.palette,
        rows: [...byQos].flatMap(([qos, own]) =>
          barRows(input, own, { metric, order, qos, grouped: byQos.size > 1 }),
        ),
        xLabel: unit,
        width: figureWidth,
        label: title,
        bars: true,
      }),
      table: responsesTable(input, rows),
    });
  }
  builder.table('Responses of the study by suite', responsesTable(input, rows));
  builder.paragraph(
    'By the names of the study, mean over runs. Total ratio: received over sent. Total run time: of all clients together; average run time: of one client, from its first message to the arrival of its last one, mean over clients. Sd of means: how far the mean message times of the clients lie apart. Average bandwidth: of one client; total: of all.',
  );
  const boxes = rows.flatMap(({ one, name }): BoxRow[] => {
    const box = input.flagged ? one.latencyWithFlagged : one.latency;
    return box ? [{ label: name, mark: one.treatment.mark, box, extremes: extremesOf(input, one) }] : [];
  });
  if (boxes.length > 0) {
    builder.figure(
      'Message time by suite',
      'Box P25 to P75, whiskers P5 to P95, marker at the mean; circles: fastest and slowest message, without a scale where the axis is broken.',
      { picture: drawBoxRows(input.palette, boxes), table: boxTable(boxes) },
    );
  }
  builder.heading('Agreement and difference');
  builder.paragraph(spreadSentence(rows));
  builder.table(
    'Where the suites that were printed as best and worst came here',
    places(rows, securityOf(input)),
  );
  if (securityOf(input) === 'TLS 1.3') {
    builder.paragraph(
      'Some suites that the study prints under TLS 1.3 are names of TLS 1.2: its clients could not choose a suite of TLS 1.3, as it says itself.',
    );
  }
  const versions = [...new Set(rows.map(({ one }) => String(one.treatment.levels.mqttVersion ?? '')))].sort();
  builder.paragraph(
    `Compatibility: messages were carried with MQTT ${versions.join(', ')}; published is that 3.1, 3.1.1 and 5.0 worked in all clients.`,
  );
  for (const { name } of silent) builder.note(`Gap: ${name} carried no message while measured.`);
};

function securityOf({ treatments }: StudyInput): string {
  return String(treatments[0]?.treatment.levels.security ?? '');
}

/** "Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305". */
function partsOf({ treatment, value }: PublishedValue) {
  const match = /^(.*) MQTT (\S+) (TLS \S+) (best|worst) (\S+)$/.exec(treatment);
  const [, link = '', version = '', security = '', which = '', suite = ''] = match ?? [];
  return { link, version, security, which, suite, value };
}

function printed(security: string) {
  return findPublished({ study: 'cipher-suites', table: 'best-worst' })
    .map(partsOf)
    .filter((entry) => entry.security === security);
}

function bestAndWorst(input: StudyInput, rows: readonly SuiteRow[]) {
  const groups = Map.groupBy(printed(securityOf(input)), ({ link, version }) => `${link}, MQTT ${version}`);
  const own = Map.groupBy(rows, ({ one }) => `here: ${nameBy(one, ['link', 'mqttVersion'])}`);
  return {
    columns: [
      { head: 'Link and MQTT version' },
      { head: 'Best suite' },
      { head: 'Best', unit: 'msg/s', format: formatCount },
      { head: 'Worst suite' },
      { head: 'Worst', unit: 'msg/s', format: formatCount },
      { head: 'Best / worst', format: (value: number) => formatNumber(value) },
    ],
    rows: [
      ...[...groups].map(([where, entries]) => {
        const of = (which: string) => entries.find((entry) => entry.which === which);
        return bestRow(`published: ${where}`, of('best'), of('worst'));
      }),
      ...[...own].map(([where, entries]) => {
        const of = (entry: SuiteRow | undefined) => entry && { suite: entry.name, value: entry.bandwidth };
        return bestRow(where, of(entries[0]), of(entries.at(-1)));
      }),
    ],
  };
}

type Named = { suite: string; value: number } | undefined;

function bestRow(where: string, best: Named, worst: Named) {
  const ratio = best && worst ? best.value / worst.value : null;
  return [
    where,
    best?.suite ?? NO_VALUE,
    best?.value ?? null,
    worst?.suite ?? NO_VALUE,
    worst?.value ?? null,
    ratio,
  ];
}

const bars = [
  {
    title: 'Bandwidth by suite',
    caption: 'Messages per second that arrived, all clients together; the fastest suite first.',
    metric: 'rate.messages',
    unit: 'msg/s',
    order: -1,
  },
  {
    title: 'Mean message time by suite',
    caption: 'From publishing to arrival at the subscriber; the shortest first.',
    metric: 'latency.mean',
    unit: 'ms',
    order: 1,
  },
] as const;

function barRows(
  input: StudyInput,
  rows: readonly SuiteRow[],
  { metric, order, qos, grouped }: { metric: string; order: number; qos: string; grouped: boolean },
): BesideRow[] {
  return rows
    .flatMap(({ one, name }) => {
      const found = measured(input, one, metric);
      return found ? [{ one, name, found }] : [];
    })
    .sort((a, b) => order * (a.found.value - b.found.value))
    .map(({ one, name, found }, index) => ({
      label: name,
      ...(grouped && index === 0 ? { group: `QoS ${qos}` } : {}),
      published: [],
      measured: [{ mark: one.treatment.mark, ...found, tip: `${name}: ${formatNumber(found.value)}` }],
    }));
}

/** Over the messages of all runs that count; null where latency was not measured. */
function extremesOf(
  { flagged }: StudyInput,
  { runs }: ComparedTreatment,
): { min: number; max: number } | null {
  const own = runs.filter((run) => flagged || !run.flagged);
  const of = (metric: string) => own.flatMap(({ metrics }) => metrics[metric] ?? []);
  const [lows, highs] = [of('latency.min'), of('latency.max')];
  return lows.length === 0 || highs.length === 0 ? null : { min: Math.min(...lows), max: Math.max(...highs) };
}

/** The study's responses by its own names; one value a run, mean over runs. */
function responsesTable(input: StudyInput, rows: readonly SuiteRow[]) {
  const three = (value: number) => formatNumber(value);
  return {
    columns: [
      { head: 'Suite' },
      { head: 'Total ratio', format: three },
      { head: 'Total run time', unit: 's', format: three },
      { head: 'Average run time', unit: 's', format: three },
      { head: 'Message time, min', unit: 'ms', format: three },
      { head: 'max', unit: 'ms', format: three },
      { head: 'mean', unit: 'ms', format: three },
      { head: 'sd of means', unit: 'ms', format: three },
      { head: 'Average bandwidth', unit: 'msg/s', format: formatCount },
      { head: 'Total bandwidth', unit: 'msg/s', format: formatCount },
      { head: 'Runs' },
    ],
    rows: rows.map(({ one, name }) => {
      const of = (metric: string) => measured(input, one, metric)?.value ?? null;
      const [sent, received, rate] = [of('count.sent'), of('count.received'), of('rate.messages')];
      return [
        name,
        sent !== null && received !== null && sent > 0 ? received / sent : null,
        received !== null && rate !== null && rate > 0 ? received / rate : null,
        of('publishers.runTime'),
        of('latency.min'),
        of('latency.max'),
        of('latency.mean'),
        of('publishers.latencySd'),
        rate === null ? null : rate / clients,
        rate,
        measured(input, one, 'rate.messages')?.runs ?? 0,
      ];
    }),
  };
}

function spreadSentence(rows: readonly SuiteRow[]): string {
  const [best, worst] = [rows[0], rows.at(-1)];
  if (!best || !worst || best === worst) return 'Too few suites were measured to rank them.';
  return `${best.name} carried most, ${formatCount(best.bandwidth)} msg/s; ${worst.name} fewest, ${formatCount(worst.bandwidth)} msg/s: a factor of ${formatNumber(best.bandwidth / worst.bandwidth)}. Without several repetitions a place is no finding: neighbours may change it by chance.`;
}

function places(rows: readonly SuiteRow[], security: string) {
  return {
    columns: [{ head: 'Suite' }, { head: 'Printed as' }, { head: 'Place here' }, { head: 'Of' }],
    rows: printed(security).map(({ link, version, which, suite }) => {
      const place = rows.findIndex(({ one }) => one.treatment.levels.cipherSuite === suite) + 1;
      return [suite, `${which} over ${link}, MQTT ${version}`, place === 0 ? null : place, rows.length];
    }),
  };
}
