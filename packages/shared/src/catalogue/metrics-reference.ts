import { type MetricDefinition, metricGroups, type Quantity } from '../domain/runs/verdict.ts';
import { formatFixed } from '../format/number.ts';
import { metrics } from './metrics.ts';

/** Metrics of one group with the same source and bias. */
export interface ReferenceEntry {
  source: string;
  bias: string | null;
  metrics: readonly MetricDefinition[];
}

export interface ReferenceGroup {
  group: MetricDefinition['group'];
  label: string;
  entries: readonly ReferenceEntry[];
}

export const metricGroupLabels: Readonly<Record<MetricDefinition['group'], string>> = {
  latency: 'Latency',
  'set-up': 'Connection set-up',
  traffic: 'Traffic',
  delivery: 'Delivery',
  payload: 'Payload',
  cpu: 'CPU',
  memory: 'Memory',
  energy: 'Energy',
  device: 'Device',
  generator: 'Load generator',
};

/** Describes how each kind of quantity is averaged and compared. */
export const quantityWords: Readonly<Record<Quantity, string>> = {
  positive: 'positive, compared as a ratio',
  count: 'count',
  proportion: 'proportion',
  signed: 'signed, compared as a difference',
};

/** Describes the smallest step between two values: "exact", "0.001 ms or 0.1 %" or "one of count.sent". */
export function resolutionWords({ resolution, unit }: Pick<MetricDefinition, 'resolution' | 'unit'>): string {
  if (resolution === 'exact') return 'exact';
  const { step, share, oneOf } = resolution;
  return [
    ...(step === undefined ? [] : [`${step} ${step === 1 ? oneOfUnit(unit) : unit}`]),
    ...(share === undefined ? [] : [`${formatFixed(100 * share, share < 0.001 ? 2 : 1)} %`]),
    ...(oneOf === undefined ? [] : [`one of ${oneOf}`]),
  ].join(' or ');
}

/** Returns the singular of a counting unit: "message" for "messages"; other units have no singular. */
function oneOfUnit(unit: string): string {
  return /^[a-z]{4,}s$/.test(unit) ? unit.slice(0, -1) : unit;
}

/** Groups all metrics by group, then by source and bias. */
export function makeMetricsReference(of: readonly MetricDefinition[] = metrics): ReferenceGroup[] {
  return metricGroups.flatMap((group) => {
    const ofGroup = of.filter((metric) => metric.group === group);
    const entries = [...Map.groupBy(ofGroup, ({ source, bias }) => `${source}\n${bias}`).values()].flatMap(
      (alike): ReferenceEntry[] => {
        const [first] = alike;
        return first ? [{ source: first.source, bias: first.bias, metrics: alike }] : [];
      },
    );
    return entries.length === 0 ? [] : [{ group, label: metricGroupLabels[group], entries }];
  });
}

/** Writes the complete reference as a Markdown page. */
export function writeMetricsReference(): string {
  const groups = makeMetricsReference().flatMap(({ label, entries }) => [
    `## ${label}`,
    ...entries.flatMap(({ source, bias, metrics: alike }) => [
      [
        '| metric | id | unit | kind | resolution | definition |',
        '| --- | --- | --- | --- | --- | --- |',
        ...alike.map(
          (metric) =>
            `| ${cell(metric.label)} | \`${metric.id}\` | ${cell(metric.unit)} | ${metric.quantity} | ${cell(resolutionWords(metric))} | ${cell(metric.help)} |`,
        ),
      ].join('\n'),
      [`Source: ${source}`, ...(bias === null ? [] : [`Known bias: ${bias}`])].join('\n\n'),
    ]),
  ]);
  const head = [
    '# Metrics',
    'All metrics with their definitions, sources and known biases. Generated from the catalogue by `npm run reference`; mqttlab’s *Metrics* page shows the same table.',
  ];
  return `${[...head, ...groups].join('\n\n')}\n`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
