import { curveFigure } from '@mqttlab/shared/figures/curve-figure';
import type { DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { makeFigureContext } from '@mqttlab/shared/figures/drawing/treatments';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { meanOf, measured, measuredTable, type NameOf, namerOf } from './measured.ts';
import type { StudyInput, StudySection } from './study-input.ts';

const quantities = [
  { head: 'Reached', unit: '%', metric: 'availability.reached' },
  { head: 'Median', unit: 'ms', metric: 'availability.connect.p50' },
  { head: 'P95', unit: 'ms', metric: 'availability.connect.p95' },
  { head: 'Outage', unit: 's', metric: 'availability.outage' },
  { head: 'Held', metric: 'availability.held' },
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
  const nameOf = namerOf(input, ['abuse', 'security', 'brokerHardening'], ['brokerHardening']);
  const table = measuredTable(input, { nameOf, quantities });
  const picture = drawBeside({
    palette: input.palette,
    rows: input.treatments.flatMap((one) => {
      const found = measured(input, one, 'availability.reached');
      const { mark } = one.treatment;
      return found ? [{ label: nameOf(one), measured: { mark, ...found }, published: [] }] : [];
    }),
    xLabel: '% of attempts',
    label: 'Attempts that reached the broker, by configuration of the broker',
  });
  builder.figure(
    'Attempts of a legitimate client that reached the broker',
    'In percent of its attempts while the broker was abused, one every 0.1 s; each gives up after 2 s.',
    { picture, table },
  );
  builder.table(
    'Attempts that reached the broker and the time of those to connect, longest outage, connections or sessions held, memory and CPU of the broker',
    table,
  );
  addCourses(input, builder);
  builder.table('What the configurations of the broker differ in', limits);
  builder.heading('Agreement and difference');
  for (const sentence of explain(input, nameOf)) builder.paragraph(sentence);
};

function addCourses({ report, palette }: StudyInput, builder: DocumentBuilder): void {
  if (report === null || report.treatments.length === 0) return;
  const context = makeFigureContext(report, palette);
  for (const { role, metric, title } of courses) {
    const found = report.series.find((one) => one.role === role && one.metric === metric);
    if (found === undefined || found.treatments.length === 0) continue;
    const { label, unit, treatments: curves } = found;
    builder.figure(
      title,
      `${label}, ${unit}; abuse begins at 0 s. Band: 95 % interval over runs.`,
      curveFigure(context, { label: title, unit, xLabel: 's since the abuse began', curves, zero: true }),
    );
  }
}

/** As the agent configures Mosquitto. */
const limits: DocumentTable = {
  columns: [{ head: 'Setting' }, { head: 'Mosquitto as it comes' }, { head: 'Hardened' }],
  rows: [
    ['max_connections', 'none: as many as the 1,024 files of a service', '500'],
    ['max_keepalive', '65,535 s', '10 s, the least that there is'],
    ['persistent_client_expiration', 'never', '1 h'],
    ['max_queued_messages', '1,000 for each client', '10 for each client'],
    ['max_queued_bytes', 'without limit', '16 KiB for each client'],
    ['max_packet_size', 'without limit', '64 KiB'],
  ],
};

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function explain(input: StudyInput, nameOf: NameOf): string[] {
  const sentences = input.treatments.flatMap((one) => {
    const of = (metric: string) => meanOf(input, one, `availability.${metric}`);
    const [reached, outage, held, grown] = [of('reached'), of('outage'), of('held'), of('memoryGrowth')];
    if (reached === null || held === null) return [];
    const lasted = outage ? `, the longest outage was ${formatNumber(outage)} s` : '';
    const memory = grown === null ? '' : `; the broker gained ${formatNumber(grown)} MB`;
    return [
      `${capitalised(nameOf(one))}: with ${formatCount(held)} held, ${formatNumber(reached)} % of the attempts reached the broker${lasted}${memory}.`,
    ];
  });
  const isHolding = input.treatments.some(({ treatment }) => treatment.levels.abuse === 'slow keep-alive');
  return [
    isHolding
      ? 'Published, on EMQX: the attack was not possible, because the broker sets no limit of connections by default (section 6, line 214). The limit here is that of Mosquitto as it comes, so that the outcomes are those of two brokers.'
      : 'Published: sessions that never expire were analysed and not measured (line 152), so that nothing stands beside these figures.',
    ...sentences,
    isHolding
      ? 'A connection limit does not reserve slots for legitimate clients: it bounds the resources of the broker. What lets clients in again is the keep-alive limit, which ends a silent connection after one and a half times that time (MQTT 5 section 3.1.2.10); holders here do not come back, an attacker may.'
      : 'Sessions take no connection: whether a client gets in is decided by memory, which limits of queues bound and expiry frees, the latter no sooner than after an hour.',
  ];
}
