import type { Report } from '@mqttlab/shared/domain/report/report';
import { columnsOf, type DocumentTable } from '../table.ts';

type Captured = Report['captured'];

export const radioCaption =
  'Radio of WiFi devices before and after runs, over all finished runs, including flagged ones.';

/** Returns the radio table, without rows if no device used WiFi. */
export function radioTable({ radio }: Report): DocumentTable {
  return {
    columns: columnsOf('Device', 'WiFi', 'Before', 'After'),
    rows: radio.map(({ device, what, before, after }) => [device, what, before, after]),
  };
}

const words = (exposed: boolean | null) =>
  exposed === null ? 'nothing to see' : exposed ? 'seen' : 'hidden';

/** Returns a row for each fact in the captured packets. */
export function capturedTable(captured: Captured, nameOf: (key: string) => string): DocumentTable {
  return {
    columns: columnsOf('Configuration', 'Captured at', 'What', 'Seen', 'In the packets'),
    rows: captured.flatMap(({ treatment, role, seen }) =>
      seen.map((fact) => [nameOf(treatment), role, fact.label, words(fact.exposed), fact.seen]),
    ),
  };
}

/** Returns the visible and hidden facts, one column per configuration and place. */
export function seenTable(captured: Captured, nameOf: (key: string) => string): DocumentTable {
  const labels = [...new Set(captured.flatMap(({ seen }) => seen.map(({ label }) => label)))];
  const places = new Set(captured.map(({ role }) => role));
  return {
    columns: columnsOf(
      'What',
      ...captured.map(
        ({ treatment, role }) => `${nameOf(treatment)}${places.size > 1 ? `, at the ${role}` : ''}`,
      ),
    ),
    rows: labels.map((label) => [
      label,
      ...captured.map(({ seen }) => words(seen.find((fact) => fact.label === label)?.exposed ?? null)),
    ]),
  };
}
