import type { PublishedValue } from '../../catalogue/protocols/published/published-group.ts';
import { findPublished } from '../../catalogue/protocols/published.ts';
import type { ComparedTreatment } from '../../domain/comparison.ts';
import { formatCount, formatNumber, NO_VALUE } from '../../format/number.ts';
import { figureWidth } from '../treatments.ts';
import { drawBeside } from './draw-beside.ts';
import { type BoxRow, boxTable, drawBoxRows } from './draw-box-rows.ts';
import {
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from './study-input.ts';

/** The study's responses by its own names. */
const responses = [
  { head: 'Bandwidth', unit: 'msg/s', metric: 'rate.messages' },
  { head: 'Message time, min', unit: 'ms', metric: 'latency.min' },
  { head: 'max', unit: 'ms', metric: 'latency.max' },
  { head: 'mean', unit: 'ms', metric: 'latency.mean' },
  { head: 'sd', unit: 'ms', metric: 'latency.sd' },
] as const;

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
  builder.figure('Bandwidth by suite', 'Messages per second that arrived; the fastest suite first.', {
    picture: drawBeside({
      palette: input.palette,
      rows: rows.map(({ one, name }) => {
        const found = measured(input, one, 'rate.messages');
        const { mark } = one.treatment;
        return { label: name, published: [], measured: found ? [{ mark, ...found, tip: name }] : [] };
      }),
      xLabel: 'msg/s',
      width: figureWidth,
      label: 'Bandwidth by suite',
    }),
    table: responsesTable(input, rows),
  });
  builder.table('Responses of the study by suite', responsesTable(input, rows));
  const boxes = rows.flatMap(({ one, name }): BoxRow[] => {
    const box = input.flagged ? one.latencyWithFlagged : one.latency;
    return box ? [{ label: name, mark: one.treatment.mark, box }] : [];
  });
  if (boxes.length > 0) {
    builder.figure('Message time by suite', 'Box P25 to P75, whiskers P5 to P95, marker at the mean.', {
      picture: drawBoxRows(input.palette, boxes),
      table: boxTable(boxes),
    });
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

function responsesTable(input: StudyInput, rows: readonly SuiteRow[]) {
  return {
    columns: [
      { head: 'Suite' },
      { head: 'Total ratio', format: (value: number) => formatNumber(value) },
      ...responses.map(({ head, unit }) => ({ head, unit })),
      { head: 'Runs' },
    ],
    rows: rows.map(({ one, name }) => {
      const of = (metric: string) => measured(input, one, metric);
      const [sent, received] = [of('count.sent'), of('count.received')];
      return [
        name,
        sent && received && sent.value > 0 ? received.value / sent.value : null,
        ...responses.map(({ metric }) => measuredCell(of(metric))),
        of('rate.messages')?.runs ?? 0,
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
