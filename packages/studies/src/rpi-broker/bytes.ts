import { agreeOn, distinctBy, meanOf, nameBy, variedAmong } from '@mqttlab/charts/blocks/measured';
import { type DocumentTable, makeTable } from '@mqttlab/charts/table';
import type { StudyInput } from '../page/input.ts';
import { publishedBeside } from '../published.ts';

/** The study's states, and the factors besides security that affect their bytes. */
export const states = [
  { state: 'CON', depends: ['cipherSuite', 'certificate', 'chainLength'] },
  { state: 'SUB', depends: [] },
  { state: 'PUB', depends: ['qos'] },
  { state: 'DISC', depends: [] },
] as const;

/** Lists the components of each state's bytes, and the bytes that TLS adds, published and measured. */
export function frameTable(input: StudyInput): DocumentTable {
  const rows = states.flatMap(({ state, depends }) => {
    const own = distinctBy(input.treatments, ['security', ...depends]);
    const known = own.map((one) => {
      const of = (what: string) => meanOf(input, one, `state.${state}.${what}`);
      const isPlain = one.treatment.levels.security === 'plain';
      const treatment = `${isPlain ? 'TCP' : 'TLS'} ${state}`;
      const printed = publishedBeside(one.treatment, { study: 'rpi-broker', metric: 'bytes', treatment });
      return {
        one,
        isPlain,
        of,
        name: nameBy(one, ['security', ...variedAmong(own, depends)]),
        whole: of('frameBytes'),
        certificates: isPlain || state !== 'CON' ? null : meanOf(input, one, 'state.certificates'),
        printed: printed?.value ?? null,
      };
    });
    return known.map((row) => {
      const plain = known.find((other) => other.isPlain && agreeOn(row.one, other.one, depends));
      const over = (key: 'whole' | 'printed') =>
        row.isPlain ? null : difference(row[key], plain?.[key] ?? null);
      return { ...row, state, over };
    });
  });
  return makeTable(
    rows.filter(({ whole }) => whole !== null),
    [
      { head: 'State', of: ({ state }) => state },
      { head: 'Configuration', of: ({ name }) => name },
      { head: 'Published', unit: 'B', of: ({ printed }) => printed },
      { head: 'Measured', unit: 'B', of: ({ whole }) => whole },
      { head: 'Frames', of: ({ of }) => of('frames') },
      { head: 'Headers', unit: 'B', of: ({ whole, of }) => difference(whole, of('bytes')) },
      { head: 'TCP payload', unit: 'B', of: ({ of }) => of('bytes') },
      { head: 'Certificates', unit: 'B', of: ({ certificates }) => certificates },
      { head: 'TLS adds, published', unit: 'B', of: ({ over }) => over('printed') },
      { head: 'TLS adds', unit: 'B', of: ({ over }) => over('whole') },
    ],
  );
}

function difference(value: number | null, base: number | null): number | null {
  return value === null || base === null ? null : value - base;
}
