import { measured, namerOf } from '@mqttlab/charts/blocks/measured';
import { type DocumentTable, makeTable } from '@mqttlab/charts/table';
import type { Derived, Levels } from '@mqttlab/shared/analysis/claims/claim';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { formatCount, formatNumber } from '@mqttlab/shared/format/number';
import { isCellular, isWireless } from '../claims/common.ts';
import type { StudyInput } from '../page/input.ts';
import { findPublished } from '../published.ts';

/** The study's total ratio: sent messages per received message. */
export const totalRatio: Derived = {
  label: 'total ratio',
  unit: '',
  kind: 'positive',
  metrics: ['count.sent', 'count.received'],
  of: ([sent, received]) => (sent === undefined || !received ? null : sent / received),
};

/** Rounds to whole messages, except for low rates of large messages. */
export function formatRate(rate: number): string {
  return rate < 100 ? formatNumber(rate) : formatCount(rate);
}

interface SuiteRow {
  one: ComparedTreatment;
  suite: string;
  rate: number;
}

/** Returns the configurations that delivered messages, the fastest first. */
function ranked(input: Pick<StudyInput, 'treatments' | 'flagged'>): SuiteRow[] {
  return input.treatments
    .flatMap((one): SuiteRow[] => {
      const rate = measured(input, one, 'rate.messages')?.value ?? 0;
      // On a busy machine, a short run may deliver no messages, which does not make its suite the slowest.
      return rate > 0 ? [{ one, suite: String(one.treatment.levels.cipherSuite), rate }] : [];
    })
    .sort((a, b) => b.rate - a.rate);
}

/** "Ethernet MQTT 3.1.1 TLS 1.2 best ECDHE-RSA-CHACHA20-POLY1305". */
const printed = findPublished({ study: 'cipher-suites', table: 'best-worst' }).flatMap(
  ({ treatment, value }) => {
    const [, link = '', version = '', security = '', which = '', suite = ''] =
      /^(.*) MQTT (\S+) (TLS \S+) (best|worst) (\S+)$/.exec(treatment) ?? [];
    return [{ link, version, security, which, suite, rate: value }];
  },
);

/** Returns the study's name for one of our links. */
function linkOf(levels: Levels): string {
  if (isCellular(levels)) return '4G-LTE';
  return isWireless(levels) ? 'WiFi-2.4' : 'Ethernet';
}

const place = ['link', 'mqttVersion', 'security', 'qos', 'client'];

/** Lists the fastest and slowest suites for each link, version and QoS, next to the published suites. */
export function bestAndWorst(input: StudyInput): DocumentTable {
  const nameOf = namerOf(input.treatments, place);
  const rows = [...Map.groupBy(ranked(input), ({ one }) => nameOf(one))].map(([where, own]) => {
    const levels = own[0]?.one.treatment.levels ?? {};
    const of = (which: string) =>
      levels.qos === 0
        ? printed.find(
            (one) =>
              one.which === which &&
              one.link === linkOf(levels) &&
              one.version === levels.mqttVersion &&
              one.security === levels.security,
          )
        : undefined;
    return {
      where,
      best: own[0],
      worst: own.at(-1),
      count: own.length,
      printedBest: of('best'),
      printedWorst: of('worst'),
    };
  });
  const hasPrinted = rows.some(({ printedBest }) => printedBest);
  const both = rows.flatMap(({ where, count, best, worst, printedBest, printedWorst }) => [
    { where, count, which: 'best', own: best, text: printedBest },
    { where, count, which: 'worst', own: worst, text: printedWorst },
  ]);
  return makeTable(both, [
    { head: 'Where', of: ({ where }) => where },
    { head: 'Suites', of: ({ count }) => count },
    { head: '', of: ({ which }) => which },
    { head: 'Here', of: ({ own }) => own?.suite ?? null },
    { head: 'Rate', unit: 'msg/s', format: formatRate, of: ({ own }) => own?.rate ?? null },
    ...(hasPrinted
      ? [{ head: 'Printed', of: ({ text }: (typeof both)[number]) => text?.suite ?? null }]
      : []),
  ]);
}

/** Returns the ranks of the suites published as best or worst; only includes suites that were run. */
export function placesOfPrinted(input: StudyInput): DocumentTable | null {
  const securities = new Set(input.treatments.map(({ treatment }) => String(treatment.levels.security)));
  const rows = printed.flatMap((entry) => {
    const own = ranked(input).filter(
      ({ one: { treatment } }) =>
        treatment.levels.mqttVersion === entry.version && treatment.levels.qos === 0,
    );
    const at = own.findIndex(({ suite }) => suite === entry.suite);
    return securities.has(entry.security) && at >= 0 ? [{ ...entry, place: at + 1, of: own.length }] : [];
  });
  if (rows.length === 0) return null;
  return makeTable(rows, [
    { head: 'Suite', of: ({ suite }) => suite },
    {
      head: 'Published as',
      of: ({ which, link, version, security }) => `${which} over ${link}, MQTT ${version}, ${security}`,
    },
    { head: 'Rank here', of: (row) => `${row.place} of ${row.of}` },
  ]);
}

/** Answers the study's first aim: QoS, suite and versions with the highest rate on each link. */
export function bestTriple(input: Pick<StudyInput, 'treatments' | 'flagged'>): DocumentTable {
  const best = [...Map.groupBy(ranked(input), ({ one }) => String(one.treatment.levels.link))].flatMap(
    ([link, [first]]) => (first ? [{ link, ...first }] : []),
  );
  const level = (head: string, id: string) => ({
    head,
    of: ({ one }: SuiteRow) => String(one.treatment.levels[id] ?? ''),
  });
  return makeTable(best, [
    { head: 'Link', of: ({ link }) => link },
    level('QoS', 'qos'),
    level('Suite', 'cipherSuite'),
    level('TLS', 'security'),
    level('MQTT', 'mqttVersion'),
    { head: 'Rate', unit: 'msg/s', format: formatRate, of: ({ rate }) => rate },
  ]);
}
