import type { PublishedValue } from '../../catalogue/studies/published.ts';
import { findPublished } from '../../catalogue/studies/published.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { formatCount, formatNumber, NO_VALUE } from '../../format/number.ts';
import type { DocumentBuilder, DocumentTable } from '../document/blocks.ts';
import { drawBeside } from './render/draw-beside.ts';
import { type BoxRow, boxFigure } from './render/draw-box-rows.ts';
import { makeTable, meanOf, measured, nameBy, variedAmong } from './render/measured.ts';
import type { StudyInput, StudySection } from './study-input.ts';

/** As published. */
const clients = 10;

interface SuiteRow {
  one: ComparedTreatment;
  name: string;
  /** Messages per second. */
  rate: number;
  runs: number;
}

/** Best and worst suite, the responses by suite, and box plots of message time. */
export const cipherSuites: StudySection = (input, builder) => {
  const all = ranked(input);
  // A loaded machine may carry nothing in a short measure phase: no worst suite, but a gap.
  const rows = all.filter(({ rate }) => rate > 0);
  const versionsOfTls = new Set(input.treatments.map(({ treatment }) => String(treatment.levels.security)));
  const printed = findPublished({ study: 'cipher-suites', table: 'best-worst' })
    .map(partsOf)
    .filter((entry) => versionsOfTls.has(entry.security));
  builder.table('Best and worst suite, here', bestAndWorst(own(rows)));
  builder.table('Best and worst suite, as printed', bestAndWorst(published(printed)));
  addBestTriple(builder, rows, 'of this part');
  const responses = responsesTable(input, rows);
  const places = Map.groupBy(rows, ({ one }) => nameBy(one, variedPlace(input)));
  for (const { caption, ...bars } of figures) {
    for (const [where, members] of places) {
      const title = places.size > 1 ? `${bars.title}: ${where}` : bars.title;
      builder.figure(title, caption, {
        picture: drawSuites(input, members, { ...bars, title }),
        table: responses,
      });
    }
  }
  builder.table('Responses of the study by suite', responses);
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
      boxFigure(input.palette, boxes),
    );
  }
  builder.heading('Agreement and difference');
  builder.paragraph(spreadSentence(rows));
  builder.table('Where the suites that were printed as best and worst came here', placesOf(printed, rows));
  if (versionsOfTls.has('TLS 1.3')) {
    builder.paragraph(
      'Some suites that the study prints under TLS 1.3 are names of TLS 1.2: its clients could not choose a suite of TLS 1.3, as it says itself.',
    );
  }
  const versions = [...new Set(rows.map(({ one }) => String(one.treatment.levels.mqttVersion ?? '')))].sort();
  builder.paragraph(
    `Compatibility: messages were carried with MQTT ${versions.join(', ')}; published is that 3.1, 3.1.1 and 5.0 worked in all clients.`,
  );
  for (const { name, rate } of all) {
    if (rate <= 0) builder.note(`Gap: ${name} carried no message while measured.`);
  }
};

/** "Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305". */
function partsOf({ treatment, value }: PublishedValue) {
  const match = /^(.*) MQTT (\S+) (TLS \S+) (best|worst) (\S+)$/.exec(treatment);
  const [, link = '', version = '', security = '', which = '', name = ''] = match ?? [];
  return { where: `${link}, MQTT ${version}`, link, version, security, which, name, rate: value };
}

type Printed = ReturnType<typeof partsOf>;

/** What a figure of the study holds together. */
const place = ['link', 'mqttVersion', 'security'];

function variedPlace({ treatments }: StudyInput): string[] {
  return variedAmong(treatments, place);
}

interface Extremes {
  where: string;
  best: Pick<SuiteRow, 'name' | 'rate'> | undefined;
  worst: Pick<SuiteRow, 'name' | 'rate'> | undefined;
}

function published(printed: readonly Printed[]): Extremes[] {
  return [...Map.groupBy(printed, ({ where, security }) => `${where}, ${security}`)].map(
    ([where, entries]) => {
      const of = (which: string) => entries.find((entry) => entry.which === which);
      return { where, best: of('best'), worst: of('worst') };
    },
  );
}

function own(rows: readonly SuiteRow[]): Extremes[] {
  return [...Map.groupBy(rows, ({ one }) => nameBy(one, place))].map(([where, entries]) => ({
    where,
    best: entries[0],
    worst: entries.at(-1),
  }));
}

/** Every suite with what it carried, the fastest first. */
export function ranked(input: Pick<StudyInput, 'treatments' | 'flagged'>): SuiteRow[] {
  const varied = variedAmong(input.treatments, ['link', 'mqttVersion', 'qos', 'client']);
  const rows = input.treatments.flatMap((one): SuiteRow[] => {
    const found = measured(input, one, 'rate.messages');
    const suite = String(one.treatment.levels.cipherSuite);
    const name = varied.length > 0 ? `${suite} ${nameBy(one, varied)}` : suite;
    return found ? [{ one, name, rate: found.value, runs: found.runs }] : [];
  });
  return rows.sort((a, b) => b.rate - a.rate);
}

/** The first aim of the study: which QoS, suite and version of TLS carry most, on each link. */
export function addBestTriple(builder: DocumentBuilder, rows: readonly SuiteRow[], of: string): void {
  const best = [...Map.groupBy(rows, ({ one }) => String(one.treatment.levels.link))].flatMap(
    ([link, [first]]) => (first ? [{ link, ...first }] : []),
  );
  builder.table(
    `Best QoS, suite and version of TLS by link, ${of}`,
    makeTable(best, [
      { head: 'Link', of: ({ link }) => link },
      { head: 'QoS', of: ({ one }) => String(one.treatment.levels.qos) },
      { head: 'Suite', of: ({ one }) => String(one.treatment.levels.cipherSuite) },
      { head: 'TLS', of: ({ one }) => String(one.treatment.levels.security) },
      { head: 'MQTT', of: ({ one }) => String(one.treatment.levels.mqttVersion) },
      { head: 'Rate', unit: 'msg/s', format: formatCount, of: ({ rate }) => rate },
    ]),
  );
}

function bestAndWorst(rows: readonly Extremes[]): DocumentTable {
  return makeTable(rows, [
    { head: 'Link, MQTT and TLS version', of: ({ where }) => where },
    { head: 'Best suite', of: ({ best }) => best?.name ?? NO_VALUE },
    { head: 'Best', unit: 'msg/s', format: formatCount, of: ({ best }) => best?.rate ?? null },
    { head: 'Worst suite', of: ({ worst }) => worst?.name ?? NO_VALUE },
    { head: 'Worst', unit: 'msg/s', format: formatCount, of: ({ worst }) => worst?.rate ?? null },
    {
      head: 'Best / worst',
      format: formatNumber,
      of: ({ best, worst }) => (best && worst ? best.rate / worst.rate : null),
    },
  ]);
}

const figures = [
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

/** Suites in their order, under headings where there are several QoS. */
function drawSuites(
  input: StudyInput,
  rows: readonly SuiteRow[],
  { title, metric, unit, order }: { title: string; metric: string; unit: string; order: number },
) {
  const byQos = Map.groupBy(rows, ({ one }) => String(one.treatment.levels.qos ?? ''));
  return drawBeside({
    palette: input.palette,
    rows: [...byQos].flatMap(([qos, own]) =>
      own
        .flatMap(({ one, name }) => {
          const found = measured(input, one, metric);
          return found ? [{ name, mark: one.treatment.mark, ...found }] : [];
        })
        .sort((a, b) => order * (a.value - b.value))
        .map(({ name, ...bar }) => ({
          label: name,
          group: byQos.size > 1 ? `QoS ${qos}` : undefined,
          published: [],
          measured: bar,
        })),
    ),
    xLabel: unit,
    label: title,
    bars: true,
  });
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
function responsesTable(input: StudyInput, rows: readonly SuiteRow[]): DocumentTable {
  const mean = (metric: string) => ({
    format: formatNumber,
    of: ({ one }: SuiteRow) => meanOf(input, one, metric),
  });
  /** Of received messages and another figure above zero. */
  const share = (of: (row: SuiteRow) => number | null) => ({
    format: formatNumber,
    of: (row: SuiteRow) => {
      const [received, other] = [meanOf(input, row.one, 'count.received'), of(row)];
      return received !== null && other !== null && other > 0 ? received / other : null;
    },
  });
  return makeTable(rows, [
    { head: 'Suite', of: ({ name }) => name },
    { head: 'Total ratio', ...share(({ one }) => meanOf(input, one, 'count.sent')) },
    { head: 'Total run time', unit: 's', ...share(({ rate }) => rate) },
    { head: 'Average run time', unit: 's', ...mean('publishers.runTime') },
    { head: 'Message time, min', unit: 'ms', ...mean('latency.min') },
    { head: 'max', unit: 'ms', ...mean('latency.max') },
    { head: 'mean', unit: 'ms', ...mean('latency.mean') },
    { head: 'sd of means', unit: 'ms', ...mean('publishers.latencySd') },
    { head: 'Average bandwidth', unit: 'msg/s', format: formatCount, of: ({ rate }) => rate / clients },
    { head: 'Total bandwidth', unit: 'msg/s', format: formatCount, of: ({ rate }) => rate },
    { head: 'Runs', of: ({ runs }) => runs },
  ]);
}

function spreadSentence(rows: readonly SuiteRow[]): string {
  const [best, worst] = [rows[0], rows.at(-1)];
  if (!best || !worst || best === worst) return 'Too few suites were measured to rank them.';
  return `${best.name} carried most, ${formatCount(best.rate)} msg/s; ${worst.name} fewest, ${formatCount(worst.rate)} msg/s: a factor of ${formatNumber(best.rate / worst.rate)}. Without several repetitions a place is no finding: neighbours may change it by chance.`;
}

function placesOf(printed: readonly Printed[], rows: readonly SuiteRow[]): DocumentTable {
  const placeOf = (suite: string) =>
    rows.findIndex(({ one }) => one.treatment.levels.cipherSuite === suite) + 1 || null;
  return makeTable(printed, [
    { head: 'Suite', of: ({ name }) => name },
    { head: 'Printed as', of: ({ which, link, version }) => `${which} over ${link}, MQTT ${version}` },
    { head: 'Place here', of: ({ name }) => placeOf(name) },
    { head: 'Of', of: () => rows.length },
  ]);
}
