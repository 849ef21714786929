import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type BoxRow, boxFigure } from '@mqttlab/shared/figures/box-rows-figure';
import type { DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatCount, formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import type { PublishedValue } from '../published.ts';
import { findPublished } from '../published.ts';
import { meanOf, measured, measuredCell, nameBy, variedAmong } from './measured.ts';
import { leaderSentence } from './relative.ts';
import type { StudyInput, StudySection } from './study-input.ts';

interface SuiteRow {
  one: ComparedTreatment;
  /** Suite, and in which of the varied factors it differs from other rows. */
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
  if (isOfFew(input)) {
    builder.paragraph(
      'Parts a and b show the published rates of all suites; this part runs a few suites only.',
    );
  } else {
    builder.table('Best and worst suite, as printed', bestAndWorst(published(printed)));
  }
  addBestTriple(builder, rows, 'of this part');
  for (const figure of figures) addSuiteFigures(builder, input, { rows, ...figure });
  builder.table('Responses of the study by suite', responsesTable(input, rows));
  builder.paragraph(
    'By the names of the study, mean over runs. Total ratio: received over sent. Total run time: from the due time of the first message of any client to the arrival of the last one of any. Average run time: from the first message of a client to the arrival of its last one, mean over clients. Sd of means: standard deviation, over clients, of their mean message time. Average bandwidth: messages of a client over its run time, mean over clients. Total bandwidth: messages of all clients per second, from the first arrival to the last. The total run time includes the time before the first arrival, which the total bandwidth does not. Clients that run as separate programs report no times for each client.',
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
  builder.paragraph(
    leaderSentence(input, {
      metric: 'rate.messages',
      first: 'highest',
      treatments: rows.map(({ one }) => one),
      nameOf: (one) => rows.find((row) => row.one === one)?.name ?? one.treatment.shortLabel,
    }),
  );
  const suitesHere = new Set(rows.map(({ one }) => suiteOf(one)));
  const [placed, absent] = [true, false].map((isHere) =>
    printed.filter(({ name }) => suitesHere.has(name) === isHere),
  ) as [Printed[], Printed[]];
  builder.table('Where the suites that were printed as best and worst came here', placesOf(placed, rows));
  if (absent.length > 0 && !isOfFew(input)) {
    const names = [...new Set(absent.map(({ name }) => name))].join(', ');
    builder.note(`Gap: printed as best or worst, and not run in this part: ${names}.`);
  }
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

/** Parts c and d ask about few suites, at another QoS than what is printed. */
function isOfFew({ origin }: StudyInput): boolean {
  return ['c', 'd'].includes(origin.partId);
}

/** "Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305". */
function partsOf({ treatment, value }: PublishedValue) {
  const match = /^(.*) MQTT (\S+) (TLS \S+) (best|worst) (\S+)$/.exec(treatment);
  const [, link = '', version = '', security = '', which = '', name = ''] = match ?? [];
  return { where: `${link}, MQTT ${version}`, link, version, security, which, name, rate: value };
}

type Printed = ReturnType<typeof partsOf>;

/** What the study draws a figure for. */
const place = ['link', 'mqttVersion', 'security'];

function suiteOf({ treatment }: ComparedTreatment): string {
  return String(treatment.levels.cipherSuite);
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
    const suite = suiteOf(one);
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
      { head: 'Rate', unit: 'msg/s', format: formatRate, of: ({ rate }) => rate },
    ]),
  );
}

function bestAndWorst(rows: readonly Extremes[]): DocumentTable {
  return makeTable(rows, [
    { head: 'Link, MQTT and TLS version', of: ({ where }) => where },
    { head: 'Best suite', of: ({ best }) => best?.name ?? NO_VALUE },
    { head: 'Best', unit: 'msg/s', format: formatRate, of: ({ best }) => best?.rate ?? null },
    { head: 'Worst suite', of: ({ worst }) => worst?.name ?? NO_VALUE },
    { head: 'Worst', unit: 'msg/s', format: formatRate, of: ({ worst }) => worst?.rate ?? null },
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
    format: formatRate,
  },
  {
    title: 'Mean message time by suite',
    caption: 'From publishing to arrival at the subscriber; the shortest first.',
    metric: 'latency.mean',
    unit: 'ms',
    order: 1,
    format: (value: number) => formatNumber(value),
  },
] as const;

type SuiteFigure = (typeof figures)[number];

/**
 * All suites in one figure; a figure for each link and version as the study has them, on one scale, if several were run.
 * Several QoS have a heading each.
 */
function addSuiteFigures(
  builder: DocumentBuilder,
  input: StudyInput,
  { rows, title, caption, metric, unit, order, format }: SuiteFigure & { rows: readonly SuiteRow[] },
): void {
  const { treatments, palette } = input;
  const places = variedAmong(treatments, ['link', 'mqttVersion']);
  const clients = variedAmong(treatments, ['client']);
  const ofSeveralQos = variedAmong(treatments, ['qos']).length > 0;
  const bars = rows
    .flatMap(({ one }) => {
      const found = measured(input, one, metric);
      const name = [suiteOf(one), ...(clients.length > 0 ? [nameBy(one, clients)] : [])].join(' · ');
      const qos = Number(one.treatment.levels.qos ?? 0);
      return found ? [{ one, name, qos, found }] : [];
    })
    .sort((a, b) => a.qos - b.qos || order * (a.found.value - b.found.value));
  const upTo = Math.max(0, ...bars.map(({ found }) => found.hi ?? found.value));
  const byPlace = Map.groupBy(bars, ({ one }) => (places.length > 0 ? nameBy(one, places) : ''));
  // Without a value there is one figure to miss.
  for (const [where, own] of byPlace.size > 0 ? byPlace : new Map([['', bars]])) {
    const label = where === '' ? title : `${title}: ${where}`;
    builder.figure(label, caption, {
      picture: drawBeside({
        palette,
        rows: own.map(({ one, name, qos, found }) => ({
          label: name,
          group: ofSeveralQos ? `QoS ${qos}` : undefined,
          published: [],
          measured: { mark: one.treatment.mark, ...found },
        })),
        xLabel: unit,
        label,
        bars: true,
        upTo,
      }),
      table: makeTable(own, [
        { head: 'Suite', of: ({ name }) => name },
        ...(ofSeveralQos ? [{ head: 'QoS', of: ({ qos }: (typeof own)[number]) => qos }] : []),
        { head: title, unit, format, of: ({ found }) => measuredCell(found) },
        { head: 'Runs', of: ({ found }) => found.runs },
      ]),
    });
  }
}

/** Over the messages of all runs that count; null where latency was not measured. */
function extremesOf({ flagged }: StudyInput, one: ComparedTreatment): { min: number; max: number } | null {
  const of = (metric: string) => runValues(one, { metric, flagged }).map(({ value }) => value);
  const [lows, highs] = [of('latency.min'), of('latency.max')];
  return lows.length === 0 || highs.length === 0 ? null : { min: Math.min(...lows), max: Math.max(...highs) };
}

/** The study's responses by its own names; one value a run, mean over runs. */
function responsesTable(input: StudyInput, rows: readonly SuiteRow[]): DocumentTable {
  const mean = (metric: string) => ({
    format: formatNumber,
    of: ({ one }: SuiteRow) => meanOf(input, one, metric),
  });
  const ratio = ({ one }: SuiteRow) => {
    const [received, sent] = [meanOf(input, one, 'count.received'), meanOf(input, one, 'count.sent')];
    return received !== null && sent !== null && sent > 0 ? received / sent : null;
  };
  return makeTable(rows, [
    { head: 'Suite', of: ({ name }) => name },
    { head: 'Total ratio', format: formatNumber, of: ratio },
    { head: 'Total run time', unit: 's', ...mean('publishers.totalRunTime') },
    { head: 'Average run time', unit: 's', ...mean('publishers.runTime') },
    { head: 'Message time, min', unit: 'ms', ...mean('latency.min') },
    { head: 'max', unit: 'ms', ...mean('latency.max') },
    { head: 'mean', unit: 'ms', ...mean('latency.mean') },
    { head: 'sd of means', unit: 'ms', ...mean('publishers.latencySd') },
    { head: 'Average bandwidth', unit: 'msg/s', ...mean('publishers.rate'), format: formatRate },
    { head: 'Total bandwidth', unit: 'msg/s', format: formatRate, of: ({ rate }) => rate },
    { head: 'Runs', of: ({ runs }) => runs },
  ]);
}

/** Whole messages, but for rates of a few large messages. */
function formatRate(rate: number): string {
  return rate < 100 ? formatNumber(rate) : formatCount(rate);
}

function placesOf(printed: readonly Printed[], rows: readonly SuiteRow[]): DocumentTable {
  const placeOf = (suite: string) => rows.findIndex(({ one }) => suiteOf(one) === suite) + 1 || null;
  return makeTable(printed, [
    { head: 'Suite', of: ({ name }) => name },
    { head: 'Printed as', of: ({ which, link, version }) => `${which} over ${link}, MQTT ${version}` },
    { head: 'Place here', of: ({ name }) => placeOf(name) },
    { head: 'Of', of: () => rows.length },
  ]);
}
