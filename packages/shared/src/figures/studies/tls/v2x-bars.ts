import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatNumber } from '../../../format/number.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { drawBars } from '../draw-bars.ts';
import {
  distinctBy,
  type Measured,
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  variedAmong,
} from '../study-input.ts';

export const security = ['security', 'cipherSuite'];
const roles = ['broker', 'publisher', 'subscriber'] as const;
type Role = (typeof roles)[number];

/** A response of the study: of each role, or of the whole where roles do not apply. */
export interface RoleResponse {
  title: string;
  caption: string;
  unit: string;
  metricOf: ((role: Role) => string) | string;
  scale?: number;
  /** Turns the measured value round: seconds for so much from so much each second. */
  invert?: true;
}

/** As `drawBars` has it. */
const intervals =
  'Bracket: 95 % interval over runs; where it would reach twice its bar, as over two runs, it stands in the table only.';

/** Grouped bars of one response, a panel for each role: packaging and link side by side, one bar for each cipher. */
export function addRoleBars(builder: DocumentBuilder, input: StudyInput, response: RoleResponse): void {
  const { title, caption, unit, metricOf } = response;
  const kinds = distinctBy(input.treatments, security);
  const packaging = variedAmong(input.treatments, ['readingsPerMessage', 'link']);
  const groups = distinctBy(input.treatments, packaging);
  const panels = typeof metricOf === 'string' ? [{ title, metric: metricOf }] : rolePanels(metricOf);
  const find = (kind: ComparedTreatment, group: ComparedTreatment) =>
    input.treatments.find(
      ({ treatment }) =>
        security.every((id) => same(treatment.levels[id], kind.treatment.levels[id])) &&
        packaging.every((id) => same(treatment.levels[id], group.treatment.levels[id])),
    );
  const ofKind = (one: ComparedTreatment | undefined, metric: string) =>
    one ? scaled(measured(input, one, metric), response) : null;
  builder.figure(title, `${caption} ${intervals}`, {
    picture: drawBars({
      palette: input.palette,
      legend: kinds.map((one) => ({ mark: one.treatment.mark, text: nameBy(one, security) })),
      yLabel: unit,
      label: title,
      panels: panels.map((panel) => ({
        title: panel.title,
        groups: groups.map((group) => ({
          label: packaging.length > 0 ? nameBy(group, packaging) : '',
          bars: kinds.flatMap((kind) => {
            const found = ofKind(find(kind, group), panel.metric);
            return found ? [{ mark: kind.treatment.mark, ...found, tip: nameBy(kind, security) }] : [];
          }),
        })),
      })),
    }),
    table: {
      columns: [{ head: 'Configuration' }, ...panels.map((panel) => ({ head: panel.title, unit }))],
      rows: input.treatments.map((one) => [
        nameBy(one, [...security, ...packaging]),
        ...panels.map(({ metric }) => measuredCell(ofKind(one, metric))),
      ]),
    },
  });
}

function rolePanels(metricOf: (role: Role) => string) {
  return roles.map((role) => ({
    title: `${role.slice(0, 1).toUpperCase()}${role.slice(1)}`,
    metric: metricOf(role),
  }));
}

function same(a: unknown, b: unknown): boolean {
  return (a ?? null) === (b ?? null);
}

function scaled(found: Measured | null, { scale = 1, invert }: RoleResponse): Measured | null {
  if (!found) return null;
  const { value, lo, hi, runs } = found;
  if (!invert) {
    const times = (bound: number | null) => (bound === null ? null : bound * scale);
    return { value: value * scale, lo: times(lo), hi: times(hi), runs };
  }
  const over = (bound: number | null) => (bound === null || bound <= 0 ? null : scale / bound);
  return value > 0 ? { value: scale / value, lo: over(hi), hi: over(lo), runs } : null;
}

/** All figures of a table in one place, as numbers to read. */
export function addRoleTable(
  builder: DocumentBuilder,
  input: StudyInput,
  { caption, columns }: { caption: string; columns: readonly RoleColumn[] },
): void {
  const varied = variedAmong(input.treatments, [...security, 'readingsPerMessage', 'link']);
  builder.table(caption, {
    columns: [
      { head: 'Configuration' },
      ...columns.map(({ head, unit }) => ({ head, unit, format: (value: number) => formatNumber(value) })),
    ],
    rows: input.treatments.map((one) => [
      nameBy(one, varied.length > 0 ? varied : security),
      ...columns
        .map(({ metric, scale = 1 }) => ({ found: measured(input, one, metric), scale }))
        .map(({ found, scale }) => (found ? found.value * scale : null)),
    ]),
  });
}

export interface RoleColumn {
  head: string;
  unit: string;
  metric: string;
  scale?: number;
}
