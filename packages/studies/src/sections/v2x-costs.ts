import type { ReportRolePhases } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { drawBars } from '@mqttlab/shared/figures/bars-figure';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawStacks } from '@mqttlab/shared/figures/stacks-figure';
import { formatNumber } from '@mqttlab/shared/format/number';
import {
  agreeOn,
  distinctBy,
  type Measured,
  measured,
  measuredCell,
  nameBy,
  namerOf,
  type Quantity,
  scaled,
  variedAmong,
} from './measured.ts';
import type { StudyInput } from './study-input.ts';

export const security = ['security', 'cipherSuite'];
/** What configurations differ in besides their security. */
const besides = ['readingsPerMessage', 'link', 'aesInstructions'];
const roles = ['broker', 'publisher', 'subscriber'] as const;

/** A response of the study: of each role, or of the whole where roles do not apply. */
export interface RoleResponse {
  title: string;
  caption: string;
  unit: string;
  metricOf: ((role: string) => string) | string;
  scale?: number | ((one: ComparedTreatment) => number);
  /** Turns the measured value round: seconds for so much from so much each second. */
  invert?: true;
}

/** As `drawBars` draws them. */
const intervals =
  'Bracket: 95 % interval over runs. An interval that reaches twice its bar is only in the table.';

/** Grouped bars of one response, a panel for each role: packaging and link side by side, one bar for each cipher. */
export function addRoleBars(builder: DocumentBuilder, input: StudyInput, response: RoleResponse): void {
  const { title, caption, unit, metricOf, scale = 1, invert } = response;
  const { treatments, palette } = input;
  const kinds = distinctBy(treatments, security);
  const packaging = variedAmong(treatments, besides);
  const panels =
    typeof metricOf === 'string'
      ? [{ title, metric: metricOf }]
      : roles.map((role) => ({
          title: `${role.slice(0, 1).toUpperCase()}${role.slice(1)}`,
          metric: metricOf(role),
        }));
  const responseOf = (one: ComparedTreatment | undefined, metric: string) => {
    const found = measured(input, one, metric);
    const times = typeof scale === 'number' ? scale : one ? scale(one) : 1;
    return invert ? inverted(found, times) : scaled(found, times);
  };
  const groupsOf = (metric: string) =>
    groupsBy(treatments, packaging).map((group) => ({
      label: packaging.length > 0 ? nameBy(group, packaging) : '',
      bars: kinds.flatMap((kind) => {
        const one = treatments.find(
          (other) => isAlike(other, kind, security) && agreeOn(other, group, packaging),
        );
        const found = responseOf(one, metric);
        return found ? [{ mark: kind.treatment.mark, ...found, tip: nameBy(kind, security) }] : [];
      }),
    }));
  const legend = kinds.map((one) => ({ mark: one.treatment.mark, text: nameBy(one, security) }));
  const drawn = panels.map((panel) => ({ title: panel.title, groups: groupsOf(panel.metric) }));
  const hasInterval = drawn.some(({ groups }) =>
    groups.some(({ bars }) => bars.some(({ lo }) => lo !== null)),
  );
  builder.figure(title, hasInterval ? `${caption} ${intervals}` : caption, {
    picture: drawBars({ palette, legend, yLabel: unit, label: title, panels: drawn }),
    table: makeTable(treatments, [
      { head: 'Configuration', of: (one) => nameBy(one, [...security, ...packaging]) },
      ...panels.map((panel) => ({
        head: panel.title,
        unit,
        of: (one: ComparedTreatment) => measuredCell(responseOf(one, panel.metric)),
      })),
    ]),
  });
}

/**
 * One treatment for each combination of levels. Plain MQTT has no level of a factor of TLS: its bar joins the groups of
 * TLS, because a group of its own would keep the two apart.
 */
function groupsBy(treatments: readonly ComparedTreatment[], factors: readonly string[]): ComparedTreatment[] {
  const all = distinctBy(treatments, factors);
  const levelsOf = ({ treatment }: ComparedTreatment) =>
    factors.filter((id) => (treatment.levels[id] ?? null) !== null).length;
  return all.filter(
    (one) => !all.some((other) => levelsOf(other) > levelsOf(one) && agreeOn(one, other, factors)),
  );
}

function isAlike(a: ComparedTreatment, b: ComparedTreatment, factors: readonly string[]): boolean {
  return factors.every((id) => (a.treatment.levels[id] ?? null) === (b.treatment.levels[id] ?? null));
}

function inverted(found: Measured | null, scale: number): Measured | null {
  if (!found || found.value <= 0) return null;
  const over = (bound: number | null) => (bound === null || bound <= 0 ? null : scale / bound);
  return { ...found, value: scale / found.value, lo: over(found.hi), hi: over(found.lo) };
}

/** All figures of a table in one place, as numbers to read. */
export function addRoleTable(
  builder: DocumentBuilder,
  input: StudyInput,
  { caption, quantities }: { caption: string; quantities: readonly Quantity[] },
): void {
  const nameOf = namerOf(input, [...security, ...besides], security);
  const columns = quantities.map(({ metric, scale = 1, ...column }) => ({
    ...column,
    format: formatNumber,
    of: (one: ComparedTreatment) => scaled(measured(input, one, metric), scale)?.value ?? null,
  }));
  builder.table(caption, makeTable(input.treatments, [{ head: 'Configuration', of: nameOf }, ...columns]));
}

/** The study's phases; what carries load is one. */
const phaseNames = ['TCP', 'TLS', 'CONNECT', 'SUBSCRIBE', 'transfer', 'DISCONNECT'];

const nameOfPhase: Readonly<Record<string, string>> = {
  tcp: 'TCP',
  tls: 'TLS',
  connect: 'CONNECT',
  subscribe: 'SUBSCRIBE',
  'warm-up': 'transfer',
  measure: 'transfer',
  drain: 'transfer',
  disconnect: 'DISCONNECT',
};

type Phase = ReportRolePhases['phases'][number];

const quantities = [
  { title: 'Time', unit: 'ms', of: ({ ms }: Phase) => ms },
  { title: 'CPU time', unit: 'ms', of: ({ cpuMs }: Phase) => cpuMs },
  { title: 'Bytes', unit: 'B', of: ({ bytes }: Phase) => bytes },
  { title: 'Energy', unit: 'mJ', of: ({ energyJ }: Phase) => (energyJ === null ? null : energyJ * 1000) },
] as const;

const figures = [
  { words: 'by phase', names: phaseNames },
  { words: 'by phase, without transfer', names: phaseNames.filter((name) => name !== 'transfer') },
] as const;

/** Stacked bars of the phases for time, CPU time, bytes and energy, with transfer and without. */
export function addPhaseStacks(builder: DocumentBuilder, input: StudyInput): void {
  const { report, palette } = input;
  const told = report?.rolePhases ?? [];
  if (told.length === 0) {
    builder.note(report ? 'Gap: no run told its phases.' : 'The phases are being worked out.');
    return;
  }
  builder.paragraph(
    'Phases of one connection, mean over runs, for every cipher, packaging and link: publisher and subscriber open it, so that a broker tells the transfer only. Transfer lasts as long as readings are sent at their rate, and hides the rest: each figure is drawn with it and without.',
  );
  builder.note(
    'Gap: memory and goodput by phase. Memory is sampled ten times a second, and phases before the transfer last for milliseconds; payload travels in the transfer only, so that goodput is its own.',
  );
  for (const { title, unit, of } of quantities) {
    const rows = stackRows(input, told, of);
    const columns = phaseNames.map((head) => ({
      head,
      unit,
      format: formatNumber,
      of: ({ parts }: StackedRow) => parts[head] ?? null,
    }));
    const table = makeTable(rows, [
      { head: 'Role', of: ({ group }) => group },
      { head: 'Configuration', of: ({ label }) => label },
      ...columns,
    ]);
    for (const { words, names } of figures) {
      const label = `${title} ${words}`;
      const shown = rows.filter(({ parts }) => names.some((name) => (parts[name] ?? null) !== null));
      builder.figure(label, 'End to end; a phase that a role does not have is absent.', {
        picture: drawStacks({ palette, names, order: phaseNames, unit, rows: shown, label }),
        table,
      });
    }
  }
}

interface StackedRow {
  group: string;
  label: string;
  parts: Record<string, number | null>;
}

function stackRows(
  { treatments }: StudyInput,
  told: readonly ReportRolePhases[],
  of: (phase: Phase) => number | null,
): StackedRow[] {
  const named = [...security, ...variedAmong(treatments, besides)];
  return ['publisher', 'subscriber', 'broker'].flatMap((role) =>
    distinctBy(treatments, named).flatMap((one): StackedRow[] => {
      const found = told.find((entry) => entry.role === role && entry.treatment === one.treatment.key);
      if (!found) return [];
      const parts: StackedRow['parts'] = {};
      for (const phase of found.phases) {
        const name = nameOfPhase[phase.phase];
        const value = of(phase);
        if (name) parts[name] = value === null ? (parts[name] ?? null) : (parts[name] ?? 0) + value;
      }
      return [{ group: role, label: nameBy(one, named), parts }];
    }),
  );
}
