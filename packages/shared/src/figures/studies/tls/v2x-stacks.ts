import type { ReportRolePhases } from '../../../domain/report/report.ts';
import { formatNumber } from '../../../format/number.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { distinctBy, nameBy, type StudyInput } from '../study-input.ts';
import { drawStacks } from './draw-stacks.ts';
import { security } from './v2x-bars.ts';

/** The study's phases; what carries load is one. */
const phaseNames = ['TCP', 'TLS', 'CONNECT', 'SUBSCRIBE', 'transfer', 'DISCONNECT'] as const;
type PhaseName = (typeof phaseNames)[number];

const nameOfPhase: Readonly<Record<string, PhaseName>> = {
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

/** Stacked bars of the phases for time, CPU time, bytes and energy, with transfer and without. */
export function addPhaseStacks(builder: DocumentBuilder, input: StudyInput): void {
  const told = input.report?.rolePhases ?? [];
  if (told.length === 0) {
    builder.note(input.report ? 'Gap: no run told its phases.' : 'The phases are being worked out.');
    return;
  }
  const kinds = distinctBy(input.treatments, security);
  builder.paragraph(
    `Phases of one connection, mean over runs, ${nameBy(kinds[0] ?? input.treatments[0]!, ['readingsPerMessage']) || 'one packaging'}: publisher and subscriber open it, so that a broker tells the transfer only. Transfer lasts as long as readings are sent at their rate, and hides the rest: each figure is drawn with it and without.`,
  );
  for (const { title, unit, of } of quantities) {
    const rows = rowsOf(input, told, of);
    const table = {
      columns: [
        { head: 'Role' },
        { head: 'Security' },
        ...phaseNames.map((head) => ({ head, unit, format: (value: number) => formatNumber(value) })),
      ],
      rows: rows.map(({ role, name, parts }) => [role, name, ...phaseNames.map((one) => parts[one] ?? null)]),
    };
    const drawn = rows.map(({ role, name, parts }, index) => ({
      label: name,
      parts,
      ...(rows[index - 1]?.role === role ? {} : { group: role }),
    }));
    const without = phaseNames.filter((name) => name !== 'transfer');
    for (const { names, words } of [
      { names: phaseNames, words: 'by phase' },
      { names: without, words: 'by phase, without transfer' },
    ]) {
      builder.figure(`${title} ${words}`, 'End to end; a phase that a role does not have is absent.', {
        picture: drawStacks({
          palette: input.palette,
          names,
          order: phaseNames,
          unit,
          rows: drawn.filter(({ parts }) => names.some((name) => (parts[name] ?? null) !== null)),
          label: `${title} ${words}`,
        }),
        table,
      });
    }
  }
}

interface Row {
  role: string;
  name: string;
  parts: Partial<Record<PhaseName, number | null>>;
}

function rowsOf(
  input: StudyInput,
  told: readonly ReportRolePhases[],
  of: (phase: Phase) => number | null,
): Row[] {
  const kinds = distinctBy(input.treatments, security);
  return ['publisher', 'subscriber', 'broker'].flatMap((role) =>
    kinds.flatMap((one): Row[] => {
      const found = told.find((entry) => entry.role === role && entry.treatment === one.treatment.key);
      if (!found) return [];
      const parts: Row['parts'] = {};
      for (const phase of found.phases) {
        const name = nameOfPhase[phase.phase];
        const value = of(phase);
        if (name) parts[name] = value === null ? (parts[name] ?? null) : (parts[name] ?? 0) + value;
      }
      return [{ role, name: nameBy(one, security), parts }];
    }),
  );
}
