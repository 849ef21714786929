import { numbersOf, select, valuesOf } from '@mqttlab/shared/analysis/claims/lines';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import type { ReportRolePhases } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment, LatencyBox } from '@mqttlab/shared/domain/runs/comparison';
import { formatExact, formatNumber, formatSigned, NO_VALUE } from '@mqttlab/shared/format/number';
import { tTwoSidedQuantile } from '@mqttlab/shared/statistics/distributions/normal';
import {
  fitLine,
  type LinearFit,
  lineAt,
  predictCrossing,
} from '@mqttlab/shared/statistics/estimates/linear-fit';
import type { DocumentBuilder } from '../document/blocks.ts';
import { intervalText } from '../document/words.ts';
import { drawFigure } from '../drawing/figure.ts';
import { makeFigureContext } from '../drawing/treatments.ts';
import { drawBars } from '../kinds/bar.ts';
import { type BoxRow, drawBoxRows } from '../kinds/box.ts';
import { drawDots } from '../kinds/dot.ts';
import { curveFigure, drawSaturation } from '../kinds/line.ts';
import { describeStacks, partStyleOf, type StackData } from '../kinds/stack.ts';
import { type Cell, type Column, makeTable } from '../table.ts';
import type { BlockInput, PageBlock, Quantity } from './blocks.ts';
import {
  agreeOn,
  distinctBy,
  type Measured,
  measured,
  measuredCell,
  nameBy,
  namerOf,
  variedAmong,
} from './measured.ts';

type Of<Kind extends PageBlock['kind']> = Extract<PageBlock, { kind: Kind }>;

const drawers: {
  [Kind in PageBlock['kind']]: (input: BlockInput, block: Of<Kind>, builder: DocumentBuilder) => void;
} = {
  text: (input, { text }, builder) => builder.paragraph(typeof text === 'string' ? text : text(input)),
  table: addTable,
  responses: addResponses,
  rows: (input, { title, rows, missing, isDetail }, builder) => {
    const table = rows(input);
    if (table === null || table.rows.length === 0) builder.gap(title, missing);
    else builder.table(title, table, { isDetail });
  },
  dots: addDots,
  bars: addBars,
  boxes: addBoxes,
  fit: addFit,
  lines: addLines,
  phases: addPhases,
  chart: (input, { title, caption = '', draw, missing }, builder) => {
    const drawn = draw(input);
    if (drawn?.picture) builder.figure(title, caption, drawn);
    else builder.gap(title, missing);
  },
};

/** Adds blocks to a document. */
export function addBlocks<Input extends BlockInput>(
  input: Input,
  blocks: readonly PageBlock<Input>[],
  builder: DocumentBuilder,
): void {
  for (const block of blocks) {
    (drawers[block.kind] as (input: Input, block: PageBlock<Input>, builder: DocumentBuilder) => void)(
      input,
      block,
      builder,
    );
  }
}

function printedOf(
  { printed }: BlockInput,
  one: ComparedTreatment,
  { published }: Quantity,
  publishedAs?: string,
): number | null {
  return published === undefined || !printed ? null : printed(one, published, publishedAs);
}

function foundOf(
  input: BlockInput,
  one: ComparedTreatment | undefined,
  { measure, scale = 1, over }: Quantity,
): Measured | null {
  if (!one || !over) return measured(input, one, measure, scale);
  const values = numbersOf({ treatments: [one], flagged: input.flagged }, measure);
  if (values.length === 0) return null;
  const value =
    over === 'sum'
      ? values.reduce((sum, own) => sum + own, 0)
      : Math[over === 'least' ? 'min' : 'max'](...values);
  return { value: value * scale, lo: null, hi: null, runs: values.length };
}

/** Returns the published and measured columns of quantities. Columns without any value are omitted. */
function quantityColumns(
  input: BlockInput,
  treatments: readonly ComparedTreatment[],
  quantities: readonly Quantity[],
): Column<ComparedTreatment>[] {
  return quantities.flatMap((quantity): Column<ComparedTreatment>[] => {
    const { head, unit, format = formatNumber } = quantity;
    const printed = (one: ComparedTreatment) => printedOf(input, one, quantity);
    const own = (one: ComparedTreatment) => foundOf(input, one, quantity);
    const columns: Column<ComparedTreatment>[] = [];
    if (treatments.some((one) => printed(one) !== null)) {
      columns.push({ head: `${head}, published`, unit, format: formatExact, of: printed });
    }
    if (treatments.some((one) => own(one) !== null)) {
      columns.push({ head, unit, format, of: (one) => measuredCell(own(one)) });
    }
    return columns;
  });
}

function addTable(
  input: BlockInput,
  { title, names, where = {}, quantities, isDetail }: Of<'table'>,
  builder: DocumentBuilder,
): void {
  const treatments = select(input.treatments, where);
  const nameOf = namerOf(treatments, names);
  const columns = quantityColumns(input, treatments, quantities);
  if (columns.length === 0) builder.gap(title);
  else
    builder.table(title, makeTable(treatments, [{ head: 'Configuration', of: nameOf }, ...columns]), {
      isDetail,
    });
}

function addResponses(
  input: BlockInput,
  { title, names, nameOf, where = {}, quantities, baseline, missing }: Of<'responses'>,
  builder: DocumentBuilder,
): void {
  const treatments = select(input.treatments, where);
  const name = nameOf ?? namerOf(treatments, names);
  const base = baseline && select(treatments, baseline)[0];
  const over = (value: number | null, least: number | null): Cell =>
    value === null || !least ? NO_VALUE : formatSigned((value / least - 1) * 100, 1);
  const rows = quantities(input).flatMap((quantity) => {
    const printed = (one?: ComparedTreatment) => one && printedOf(input, one, quantity);
    const own = (one?: ComparedTreatment) => foundOf(input, one, quantity);
    return treatments.flatMap((one): Cell[][] => {
      const [published = null, found] = [printed(one), own(one)];
      if (published === null && found === null) return [];
      const head = quantity.unit ? `${quantity.head}, ${quantity.unit}` : quantity.head;
      const cells = [head, name(one), published, measuredCell(found)];
      if (!base) return [cells];
      const overBase = [
        over(published, printed(base) ?? null),
        over(found?.value ?? null, own(base)?.value ?? null),
      ];
      return [[...cells, ...overBase]];
    });
  });
  const who = base ? name(base).toLowerCase() : '';
  const heads = base ? [`Published, over ${who}`, `Measured, over ${who}`] : [];
  const columns = [
    { head: 'Response' },
    { head: 'Configuration' },
    { head: 'Published', format: formatExact },
    { head: 'Measured', format: (value: number) => formatNumber(value, 4), isFigures: true },
    ...heads.map((head) => ({ head, unit: '%' })),
  ];
  if (rows.length === 0) builder.gap(title, missing);
  else builder.table(title, { columns, rows });
}

function addDots(input: BlockInput, block: Of<'dots'>, builder: DocumentBuilder): void {
  const { title, caption = '', names, where = {}, quantities, groups = [], panels = [], order } = block;
  const treatments = select(input.treatments, where);
  const varied = variedAmong(treatments, panels);
  const grouped = variedAmong(treatments, groups);
  const rows = quantities.flatMap((quantity) => {
    const { head, distinct, publishedAs } = quantity;
    const own = distinct ? distinctBy(treatments, distinct) : treatments;
    const nameOf = namerOf(own, names);
    return own.map((one) => ({
      one,
      group: quantities.length > 1 ? head : grouped.length > 0 ? nameBy(one, grouped) : undefined,
      label: nameOf(one),
      found: foundOf(input, one, quantity),
      published: printedOf(
        input,
        one,
        quantity,
        publishedAs?.replace('{}', one.treatment.levels.security === 'plain' ? 'TCP' : 'TLS'),
      ),
    }));
  });
  const sign = { ascending: 1, descending: -1, none: 0 }[order ?? 'none'];
  const places = [...new Set(rows.map(({ group }) => group))];
  rows.sort(
    (a, b) =>
      places.indexOf(a.group) - places.indexOf(b.group) ||
      sign * ((a.found?.value ?? 0) - (b.found?.value ?? 0)),
  );
  const unit = quantities[0]?.unit ?? '';
  const format = quantities[0]?.format ?? formatNumber;
  const upTo = Math.max(0, ...rows.map(({ found }) => found?.hi ?? found?.value ?? 0));
  const byPanel = Map.groupBy(rows, ({ one }) => (varied.length > 0 ? nameBy(one, varied) : ''));
  for (const [index, [panel, own]] of [...(byPanel.size > 0 ? byPanel : new Map([['', rows]]))].entries()) {
    const label = panel === '' ? title : `${title}: ${panel}`;
    const hasPublished = own.some(({ published }) => published !== null);
    builder.figure(label, caption, {
      anchor: index === 0 ? title : label,
      picture: drawDots({
        palette: input.palette,
        rows: own.map(({ one, group, label: name, found, published }) => ({
          label: name,
          group,
          published: published === null ? [] : [published],
          measured: found && { mark: one.treatment.mark, ...found },
        })),
        xLabel: unit,
        label,
        isLog: block.isLog ?? false,
        bars: block.bars ?? false,
        ...(varied.length > 0 ? { upTo } : {}),
      }),
      table: makeTable(own, [
        ...(own.some(({ group }) => group !== undefined)
          ? [{ head: 'Group', of: ({ group }: (typeof own)[number]) => group ?? null }]
          : []),
        { head: 'Configuration', of: (row) => row.label },
        ...(hasPublished
          ? [
              {
                head: 'Published',
                unit,
                format: formatExact,
                of: ({ published }: (typeof own)[number]) => published,
              },
            ]
          : []),
        { head: hasPublished ? 'Measured' : title, unit, format, of: ({ found }) => measuredCell(found) },
        ...(hasPublished
          ? [
              {
                head: 'Measured / published',
                format: formatNumber,
                of: ({ found, published }: (typeof own)[number]) =>
                  found && published ? found.value / published : null,
              },
            ]
          : []),
        { head: 'Runs', of: ({ found }) => found?.runs ?? 0 },
      ]),
    });
  }
}

/**
 * Returns one treatment for each combination of levels. Plain MQTT has no level of a TLS factor. Its bar
 * joins the TLS groups, because a separate group would set the two apart.
 */
function groupsBy(treatments: readonly ComparedTreatment[], factors: readonly string[]): ComparedTreatment[] {
  const all = distinctBy(treatments, factors);
  const levelsOf = ({ treatment }: ComparedTreatment) =>
    factors.filter((id) => (treatment.levels[id] ?? null) !== null).length;
  return all.filter(
    (one) => !all.some((other) => levelsOf(other) > levelsOf(one) && agreeOn(one, other, factors)),
  );
}

function addBars(
  input: BlockInput,
  { title, caption = '', quantities, colours, names, where = {} }: Of<'bars'>,
  builder: DocumentBuilder,
): void {
  const treatments = select(input.treatments, where);
  const kinds = distinctBy(treatments, colours);
  const groups = variedAmong(treatments, names);
  const isKind = (one: ComparedTreatment, kind: ComparedTreatment) =>
    colours.every((id) => (one.treatment.levels[id] ?? null) === (kind.treatment.levels[id] ?? null));
  const [first] = quantities;
  const panels = quantities.map((quantity) => ({
    title: quantity.head,
    groups: groupsBy(treatments, groups).map((group) => ({
      label: groups.length > 0 ? nameBy(group, groups) : '',
      bars: kinds.flatMap((kind) => {
        const one = treatments.find((other) => isKind(other, kind) && agreeOn(other, group, groups));
        const found = foundOf(input, one, quantity);
        return found ? [{ mark: kind.treatment.mark, ...found, tip: nameBy(kind, colours) }] : [];
      }),
    })),
  }));
  const hasInterval = panels.some((panel) =>
    panel.groups.some(({ bars }) => bars.some(({ lo }) => lo !== null)),
  );
  builder.figure(
    title,
    hasInterval
      ? `${caption} Bracket: 95 % interval over runs. Intervals that reach beyond twice the bar are shown only in the table.`.trim()
      : caption,
    {
      picture: drawBars({
        palette: input.palette,
        legend: kinds.map((one) => ({ mark: one.treatment.mark, text: nameBy(one, colours) })),
        yLabel: first?.unit ?? '',
        label: title,
        panels,
      }),
      table: makeTable(treatments, [
        { head: 'Configuration', of: (one) => nameBy(one, [...colours, ...groups]) },
        ...quantityColumns(input, treatments, quantities),
      ]),
    },
  );
}

function addBoxes(
  input: BlockInput,
  { title, caption = '', of, names, where = {}, extremes = false, nameOf }: Of<'boxes'>,
  builder: DocumentBuilder,
): void {
  const treatments = select(input.treatments, where);
  const name = nameOf ?? namerOf(treatments, names);
  const rows = treatments.flatMap((one): BoxRow[] => {
    const latency = input.flagged ? one.latencyWithFlagged : one.latency;
    const box = of === 'latency' ? latency : exchangeBox(input, one);
    return box
      ? [
          {
            label: name(one),
            mark: one.treatment.mark,
            box,
            extremes: extremes ? extremesOf(input, one) : null,
          },
        ]
      : [];
  });
  const hasWhiskers = rows.some(({ box }) => box.p5 < box.p25 || box.p95 > box.p75);
  const whiskers = hasWhiskers ? 'whiskers P5 to P95' : 'no whiskers, because P5 and P95 need more messages';
  builder.figure(
    title,
    `${caption} Box P25 to P75, ${whiskers}, cross at the median.`.trim(),
    drawBoxRows(input.palette, rows, of === 'latency' ? 'Message latency' : 'Exchange'),
  );
}

/**
 * Returns the quantiles of each run, averaged over the runs; null if a run has too few exchanges for them.
 */
function exchangeBox(input: BlockInput, one: ComparedTreatment): LatencyBox | null {
  const of = (metric: string) => measured(input, one, `exchange.${metric}`)?.value ?? null;
  const [p25, p50, p75, mean] = [of('p25'), of('p50'), of('p75'), of('mean')];
  if (p25 === null || p50 === null || p75 === null || mean === null) return null;
  const messages = Math.round(measured(input, one, 'count.received')?.value ?? 0);
  return { messages, p5: of('p5') ?? p25, p25, p50, p75, p95: of('p95') ?? p75, mean };
}

function extremesOf({ flagged }: BlockInput, one: ComparedTreatment): { min: number; max: number } | null {
  const of = (metric: string) => runValues(one, { metric, flagged }).map(({ value }) => value);
  const [lows, highs] = [of('latency.min'), of('latency.max')];
  return lows.length === 0 || highs.length === 0 ? null : { min: Math.min(...lows), max: Math.max(...highs) };
}

const steps = 24;

function addFit(
  input: BlockInput,
  { title, caption = '', x, quantity, names, where = {}, limit, published }: Of<'fit'>,
  builder: DocumentBuilder,
): void {
  const { measure, head, unit, scale = 1 } = quantity;
  const treatments = select(input.treatments, where);
  const lines = [...Map.groupBy(treatments, namerOf(treatments, names))].map(([group, members], index) => {
    const points = members.flatMap((one) =>
      valuesOf(one, measure, input.flagged).map(({ value }) => ({
        x: Number(one.treatment.levels[x]),
        y: value * scale,
      })),
    );
    const xs = points.map((point) => point.x);
    const fit = fitLine(
      xs,
      points.map((point) => point.y),
    );
    const [from, to] = [Math.min(...xs), Math.max(...xs)];
    const band = fit
      ? Array.from({ length: steps + 1 }, (_, i) => {
          const at = lineAt(fit, from + ((to - from) * i) / steps);
          return { x: at.x, y: at.y, lo: Math.max(0, at.lo), hi: at.hi };
        })
      : [];
    return { group, mark: (index % 8) + 1, points, band, r2: fit?.r2 ?? null, fit, members };
  });
  const words = { metric: '', label: head, unit, factor: x, factorUnit: '', sentence: '' };
  builder.figure(title, caption, {
    picture: lines.some(({ points }) => points.length > 0)
      ? drawSaturation(
          { palette: input.palette },
          lines.map((line) => ({ ...words, ...line })),
        )
      : null,
    table: {
      columns: [{ head: 'Line' }, { head: x }, { head, unit }],
      rows: lines.flatMap(({ group, points }) => points.map((point) => [group, point.x, point.y])),
    },
  });
  const rows = lines.flatMap(({ group, fit, members: [first] }): Cell[][] => {
    const printed = (metric: string) => (first ? (input.printed?.(first, metric) ?? null) : null);
    const at = first ? limit.of(input, first) : null;
    const own = fit ? [[group, ...lineCells(fit, at), at]] : [];
    if (!published || printed(published.slope) === null) return own;
    const of = (metric: string) => formatExact(printed(metric) ?? Number.NaN);
    const { slope, intercept, crossing } = published;
    return [[`${group}, published`, of(slope), of(intercept), null, of(crossing), published.limit], ...own];
  });
  builder.table(`${title}: lines`, {
    columns: [
      { head: 'Line' },
      { head: 'Slope', unit: `${unit} per ${x.replace(/s$/, '')}`, isFigures: true },
      { head: 'Intercept', unit, isFigures: true },
      { head: 'R²', format: (value) => formatNumber(value, 2) },
      { head: 'Limit reached at', unit: x, isFigures: true },
      { head: limit.head, unit },
    ],
    rows,
  });
}

/** Returns slope, intercept, R² and the point where the line reaches the limit, with 95 % intervals. */
function lineCells(fit: LinearFit, limit: number | null): Cell[] {
  const t = tTwoSidedQuantile(0.05, fit.df);
  const around = (value: number, se: number) =>
    intervalText({ value, lo: value - t * se, hi: value + t * se });
  const crossing = limit === null ? null : predictCrossing(fit, limit);
  return [
    around(fit.slope, fit.seSlope),
    around(fit.intercept, fit.seIntercept),
    fit.r2,
    crossing ? intervalText({ value: crossing.x, lo: crossing.lo, hi: crossing.hi }) : NO_VALUE,
  ];
}

function addLines(
  { report, palette }: BlockInput,
  { title, caption = '', role, metric, xLabel }: Of<'lines'>,
  builder: DocumentBuilder,
): void {
  const found = report?.series.find((one) => one.role === role && one.metric === metric);
  if (!report || !found || found.treatments.length === 0) return;
  const { label, unit, treatments: curves } = found;
  builder.figure(
    title,
    `${label}, ${unit}. ${caption}`.trim(),
    curveFigure(makeFigureContext(report, palette), { label: title, unit, xLabel, curves, zero: true }),
  );
}

/** Display names of connection phases; phases with load are combined. */
const phaseNames: Readonly<Record<string, string>> = {
  tcp: 'TCP',
  tls: 'TLS',
  connect: 'CONNECT',
  subscribe: 'SUBSCRIBE',
  'warm-up': 'transfer',
  measure: 'transfer',
  drain: 'transfer',
  disconnect: 'DISCONNECT',
};
const phaseOrder = [...new Set(Object.values(phaseNames))];

function addPhases(
  input: BlockInput,
  { title, caption = '', of, unit, scale = 1, names }: Of<'phases'>,
  builder: DocumentBuilder,
): void {
  const { report, treatments, palette } = input;
  if (!report) return;
  const named = variedAmong(treatments, names);
  const rows = ['publisher', 'subscriber', 'broker'].flatMap((role) =>
    distinctBy(treatments, named).flatMap((one) => {
      const found = report.rolePhases.find(
        (entry) => entry.role === role && entry.treatment === one.treatment.key,
      );
      return found ? [{ group: role, label: nameBy(one, named), parts: partsOf(found, of, scale) }] : [];
    }),
  );
  // The transfer would dwarf the other phases, so only the table contains it.
  const drawn = phaseOrder.filter((name) => name !== 'transfer');
  const shown = rows.filter(({ parts }) => drawn.some((name) => (parts[name] ?? null) !== null));
  const parts = drawn.filter((name) => shown.some((row) => (row.parts[name] ?? 0) > 0));
  const stack: StackData = {
    label: title,
    unit,
    names: 'left',
    styles: parts.map((name) => partStyleOf(phaseOrder, name)),
    data: {
      parts,
      bars: shown.map((row) => ({
        name: row.label,
        group: row.group,
        parts: parts.map((name) => row.parts[name] ?? null),
      })),
    },
  };
  if (rows.length === 0) builder.gap(title);
  else {
    builder.figure(title, caption, {
      picture: shown.length > 0 ? drawFigure(describeStacks(palette, stack), palette) : null,
      table: makeTable(rows, [
        { head: 'Role', of: ({ group }) => group },
        { head: 'Configuration', of: ({ label }) => label },
        ...phaseOrder.map((head) => ({
          head,
          unit,
          format: formatNumber,
          of: ({ parts }: (typeof rows)[number]) => parts[head] ?? null,
        })),
      ]),
    });
  }
}

function partsOf(
  { phases }: ReportRolePhases,
  of: Of<'phases'>['of'],
  scale: number,
): Record<string, number | null> {
  const parts: Record<string, number | null> = {};
  for (const phase of phases) {
    const name = phaseNames[phase.phase];
    const value = phase[of];
    if (name) parts[name] = value === null ? (parts[name] ?? null) : (parts[name] ?? 0) + value * scale;
  }
  return parts;
}
