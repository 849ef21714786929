import type {
  ReportStability,
  StabilityCurve,
  StabilitySummary,
} from '@mqttlab/shared/domain/report/report-stability';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { formatNumber } from '@mqttlab/shared/format/number';
import { mean } from '@mqttlab/shared/statistics/descriptive/summary';
import { ofStudy, printedOf, type StabilityContext, stabilityTable } from './configurations.ts';

/** Rows of Table 4 of the study; the charge of a segment is its mean current times its length. */
const variations = [
  { label: 'Mean current, emitter', variable: 'current.publisher', published: 'CV of current' },
  { label: 'Mean current, receiver', variable: 'current.subscriber', published: 'CV of current, receiver' },
  { label: 'Cumulative energy, emitter', variable: 'current.publisher', published: 'CV of energy' },
  {
    label: 'Cumulative energy, receiver',
    variable: 'current.subscriber',
    published: 'CV of energy, receiver',
  },
  { label: 'Latency', variable: 'latency', published: 'CV of latency' },
] as const;

/** Every coefficient of variation of the study’s Table 4, by segment as it has them, and over runs. */
export function addVariations(
  builder: DocumentBuilder,
  context: StabilityContext,
  { variables }: ReportStability,
): void {
  const rows = variations.flatMap(({ label, variable, published }) => {
    const found = variables.find(({ id }) => id === variable);
    return ofStudy(context, found?.summaries ?? []).map((summary) => ({ label, published, summary }));
  });
  type Row = { label: string; published: string; summary: StabilitySummary };
  builder.table(
    'Coefficients of variation, as Table 4 of the study has them',
    makeTable<Row>(rows, [
      { head: 'Quantity', of: ({ label }) => label },
      { head: 'Configuration', of: ({ summary }) => context.name(summary.treatment) },
      {
        head: 'Published',
        unit: '%',
        of: ({ published, summary }) => printedOf(context, published, summary.treatment),
      },
      { head: 'Of segments', unit: '%', format: formatNumber, of: ({ summary }) => summary.cvSegments },
      { head: 'Across runs', unit: '%', format: formatNumber, of: ({ summary }) => summary.cvRuns },
    ]),
  );
  builder.note(
    'Charge of a segment is its mean current times its length: both vary alike. The words of the study call its largest variation, of the latency under TLS, 4.7 %; its table has 2.24 % there.',
  );
}

const minuteMs = 60_000;

/** Mean current of each minute of the emitter, over runs. */
export function addMinutes(
  builder: DocumentBuilder,
  context: StabilityContext,
  { variables }: ReportStability,
): void {
  const current = variables.find(({ id }) => id === 'current.publisher');
  const curves = ofStudy(context, current?.curves ?? []);
  const lastMs = Math.max(0, ...curves.flatMap(({ timesMs }) => timesMs.at(-1) ?? 0));
  const minutes = Math.round(lastMs / minuteMs);
  if (minutes < 2) {
    builder.note('Gap: no mean current by minute: the runs of this scale are shorter than two minutes.');
    return;
  }
  const heads = Array.from({ length: minutes }, (_, minute) => minute);
  builder.table(
    'Mean current of the emitter by minute',
    stabilityTable(
      context,
      curves,
      heads.map((minute) => ({
        head: `Minute ${minute + 1}`,
        unit: 'mA',
        format: (value: number) => formatNumber(value, 4),
        of: (curve: StabilityCurve) => meanIn(curve, minute),
      })),
    ),
  );
}

function meanIn({ timesMs, mean: values }: StabilityCurve, minute: number): number | null {
  return mean(
    values.filter(
      (value, index): value is number =>
        value !== null && Math.floor((timesMs[index] ?? -1) / minuteMs) === minute,
    ),
  );
}

/** Who draws less than whom at each step of the sensitivity analysis, where every configuration takes the same step. */
export function addRanking(
  builder: DocumentBuilder,
  context: StabilityContext,
  { sensitivity }: ReportStability,
): void {
  const own = ofStudy(context, sensitivity);
  const [first] = own;
  if (!first || own.length < 2) return;
  const steps = (['byHandshake', 'byLoad'] as const).flatMap((which) =>
    first[which].map(({ factor }, index) => ({
      what: which === 'byHandshake' ? 'Duration of the handshake' : 'Steady load',
      factor,
      order: own
        .map((one) => ({ one, mAh: one.mAh * (1 + (one[which][index]?.percent ?? 0) / 100) }))
        .sort((a, b) => a.mAh - b.mAh)
        .map(({ one }) => context.name(one.treatment))
        .join(' < '),
    })),
  );
  builder.table(
    'Ranking by energy, evaluated anew at each step of the sensitivity analysis',
    makeTable(steps, [
      { head: 'Varied', of: ({ what }) => what },
      { head: 'Times', of: ({ factor }) => factor },
      { head: 'Order, least first', of: ({ order }) => order },
    ]),
  );
  const orders = new Set(steps.map(({ order }) => order));
  builder.paragraph(
    orders.size === 1
      ? 'The ranking on the means is the same at every step.'
      : `The ranking on the means changes: ${orders.size} orders are found among ${steps.length} steps.`,
  );
}
