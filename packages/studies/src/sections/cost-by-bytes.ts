import { runValues } from '@mqttlab/shared/analysis/run-values';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { tTwoSidedQuantile } from '@mqttlab/shared/statistics/distributions/normal';
import { fitLine, type LinearFit } from '@mqttlab/shared/statistics/estimates/linear-fit';
import { distinctBy } from './measured.ts';
import type { StudyInput } from './study-input.ts';

const metric = 'encryption.mean';
const nsPerUs = 1000;

interface CipherLine {
  name: string;
  implementation: string;
  smallest: number;
  /** µs over bytes; null where there are too few sizes or runs. */
  fit: LinearFit | null;
}

/** The time of a cipher taken apart by a line through the sizes: what each message costs, and what each byte. */
export function addCostByBytes(builder: DocumentBuilder, input: StudyInput): void {
  const lines = distinctBy(input.treatments, ['payloadCipher']).flatMap((one) => lineOf(input, one) ?? []);
  const fitted = lines.filter(({ fit }) => fit !== null);
  if (fitted.length === 0) {
    builder.note('Gap: too few payload sizes or runs to tell the cost of a message from that of a byte.');
    return;
  }
  builder.table(
    'Encryption time taken apart: what each message costs and what each byte, by a line through the payload sizes',
    makeTable(lines, [
      { head: 'Cipher', of: ({ name }) => name },
      { head: 'Code', of: ({ implementation }) => implementation },
      { head: 'Each message', unit: 'µs', of: ({ fit }) => around(fit, 'intercept', 1) },
      { head: 'Each byte', unit: 'ns', of: ({ fit }) => around(fit, 'slope', nsPerUs) },
      {
        head: 'Of the smallest payload, for the message',
        unit: '%',
        format: (value) => formatNumber(value, 2),
        of: shareOfMessage,
      },
      { head: 'R²', format: (value) => formatNumber(value, 2), of: ({ fit }) => fit?.r2 ?? null },
    ]),
  );
  builder.paragraph(
    `What each message costs is that of the call: the object of the library, its key schedule and its tag. ${resolvedSentence(fitted)}`,
  );
}

/** Of those only whose interval leaves zero out. */
function resolvedSentence(lines: readonly CipherLine[]): string {
  const resolved = lines.filter(({ fit }) => fit !== null && fit.intercept - margin(fit, 'seIntercept') > 0);
  if (resolved.length === 0) {
    return 'These runs are too few or too unsteady to tell it from zero for any cipher.';
  }
  const half = resolved.filter((line) => (shareOfMessage(line) ?? 0) > 50).length;
  return `It is told from zero for ${resolved.length} of ${lines.length} ciphers, and more than half of the encryption time at the smallest payload for ${half} of them: there, one cipher is told from another by its library rather than by its arithmetic.`;
}

/** Half the width of the 95 % interval. */
function margin(fit: LinearFit, of: 'seIntercept' | 'seSlope'): number {
  return tTwoSidedQuantile(0.05, fit.df) * fit[of];
}

function lineOf({ treatments, flagged }: StudyInput, { treatment }: StudyInput['treatments'][number]) {
  const id = String(treatment.levels.payloadCipher);
  const cipher = findPayloadCipherDefinition(id);
  if (!cipher) return null;
  const points = treatments
    .filter((one) => one.treatment.levels.payloadCipher === id)
    .flatMap((one) =>
      runValues(one, { metric, flagged }).map(({ value }) => ({
        x: payloadBytesOf(one.treatment.spec),
        y: value,
      })),
    );
  const fit = fitLine(
    points.map(({ x }) => x),
    points.map(({ y }) => y),
  );
  const smallest = Math.min(...points.map(({ x }) => x));
  return { name: cipher.label, implementation: cipher.implementation, smallest, fit };
}

function around(fit: LinearFit | null, what: 'intercept' | 'slope', scale: number): string {
  if (!fit) return NO_VALUE;
  const value = what === 'slope' ? fit.slope : fit.intercept;
  const half = margin(fit, what === 'slope' ? 'seSlope' : 'seIntercept');
  return intervalText({ value: value * scale, lo: (value - half) * scale, hi: (value + half) * scale });
}

/** Percent, of what the line has at the smallest payload; null where the line leaves nothing for the message. */
function shareOfMessage({ fit, smallest }: CipherLine): number | null {
  if (!fit) return null;
  const all = fit.intercept + fit.slope * smallest;
  return all > 0 && fit.intercept > 0 ? Math.min(100, (100 * fit.intercept) / all) : null;
}
