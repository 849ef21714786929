import { findPayloadCipherDefinition } from '../../../catalogue/ciphers/payload-ciphers.ts';
import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatNumber } from '../../../format/number.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { figureWidth } from '../../drawing/treatments.ts';
import { drawBeside } from '../draw-beside.ts';
import { distinctBy, measured, measuredCell, nameBy, type StudyInput } from '../study-input.ts';

export function cipherLabelOf({ treatment }: ComparedTreatment): string {
  return findPayloadCipherDefinition(String(treatment.levels.payloadCipher))?.label ?? 'No payload cipher';
}

export interface CipherBars {
  title: string;
  caption: string;
  metric: string;
  unit: string;
  scale?: number;
  /** As printed, for one treatment. */
  publishedOf?: (one: ComparedTreatment) => number | null;
}

/** Bars grouped by cipher, one for each payload size, as the study draws them; with the same figures as a table. */
export function addCipherBars(builder: DocumentBuilder, input: StudyInput, bars: CipherBars): void {
  const { title, caption, metric, unit, scale = 1, publishedOf = () => null } = bars;
  const ciphers = distinctBy(input.treatments, ['payloadCipher']);
  const sizesOf = ({ treatment }: ComparedTreatment) =>
    input.treatments.filter((one) => one.treatment.levels.payloadCipher === treatment.levels.payloadCipher);
  const rows = ciphers.flatMap((cipher) =>
    sizesOf(cipher).map((one, index) => {
      const found = measured(input, one, metric);
      const printed = publishedOf(one);
      const name = `${cipherLabelOf(one)}, ${nameBy(one, ['readingBytes'])}`;
      const times = (value: number | null) => (value === null ? null : value * scale);
      const value = (found?.value ?? 0) * scale;
      const tip = `${name}: ${formatNumber(value)} ${unit}`;
      const bar = {
        mark: one.treatment.mark,
        value,
        lo: times(found?.lo ?? null),
        hi: times(found?.hi ?? null),
        tip,
      };
      return {
        one,
        label: nameBy(one, ['readingBytes']),
        ...(index === 0 && { group: cipherLabelOf(one) }),
        published: printed === null ? [] : [printed],
        measured: found ? [bar] : [],
      };
    }),
  );
  builder.figure(title, caption, {
    picture: drawBeside({
      palette: input.palette,
      rows,
      xLabel: unit,
      bars: true,
      width: figureWidth,
      label: `${title}, by cipher and payload size`,
    }),
    table: {
      columns: [
        { head: 'Cipher' },
        { head: 'Payload' },
        { head: 'Published', unit },
        { head: 'Measured', unit },
      ],
      rows: rows.map(({ one, published: [printed = null] }) => [
        cipherLabelOf(one),
        nameBy(one, ['readingBytes']),
        printed,
        measuredCell(measured(input, one, metric), scale),
      ]),
    },
  });
}
