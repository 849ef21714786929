import { type FigureContext, makeFigureContext } from '@mqttlab/charts/drawing/treatments';
import { type Column, type DocumentTable, makeTable } from '@mqttlab/charts/table';
import type { Levels } from '@mqttlab/shared/analysis/claims/claim';
import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import type { ReportStability } from '@mqttlab/shared/domain/report/report-stability';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { StudyInput } from '../page/input.ts';
import { publishedBeside } from '../published.ts';

/** A configuration with its names in figures and sentences. */
export interface Side {
  name: string;
  word: string;
  isOf(levels: Levels): boolean;
}

export const plain: Side = {
  name: 'Plain',
  word: 'plain',
  isOf: ({ security, payloadCipher }) => security === 'plain' && payloadCipher === 'none',
};
export const tls: Side = {
  name: 'TLS 1.2, RSA key exchange',
  word: 'TLS 1.2',
  isOf: ({ security, cipherSuite }) =>
    security === 'TLS 1.2' && describeSuite(String(cipherSuite)).keyExchange === 'RSA',
};
export const hybrid: Side = {
  name: 'ECDH + AES-128-CBC, no MAC',
  word: 'the hybrid',
  isOf: ({ payloadCipher }) => payloadCipher === 'ecdh-p256-aes-128-cbc-as-published',
};

function fair(name: string, isOf: Side['isOf']): Side {
  return { name, word: name, isOf };
}

/** Configurations in the study, then comparable configurations that it lacks. */
const sides: readonly Side[] = [
  plain,
  tls,
  hybrid,
  fair('ECDH + AES-128-GCM', ({ payloadCipher }) => payloadCipher === 'ecdh-p256-aes-128-gcm'),
  fair('TLS 1.2, ECDHE', (levels) => levels.security === 'TLS 1.2' && !tls.isOf(levels)),
  fair('TLS 1.3', ({ security }) => security === 'TLS 1.3'),
];

export type Configuration = Side & { one: ComparedTreatment };

/**
 * Returns the configurations that were run, each with its own colour. The plan uses one colour per TLS
 * version.
 */
export function configurationsOf({ treatments }: Pick<StudyInput, 'treatments'>): Configuration[] {
  return sides.flatMap((side, index) => {
    const found = treatments.find(({ treatment }) => side.isOf(treatment.levels));
    if (!found) return [];
    const treatment = { ...found.treatment, mark: index + 1, shortLabel: side.name };
    return [{ ...side, one: { ...found, treatment } }];
  });
}

export function configurationName({ treatment }: ComparedTreatment): string {
  return sides.find(({ isOf }) => isOf(treatment.levels))?.name ?? treatment.shortLabel;
}

export function printed(metric: string, { one }: Configuration): number | null {
  return publishedBeside(one.treatment, { study: 'stability-aware', metric })?.value ?? null;
}

export interface Context extends FigureContext {
  configurations: readonly Configuration[];
  stability: ReportStability;
}

/** Makes a table or chart from the report's series; returns null if there are none. */
export function withSeries<T>(
  make: (context: Context, input: StudyInput) => T | null,
): (input: StudyInput) => T | null {
  return (input) => {
    const { report, palette } = input;
    const configurations = configurationsOf(input);
    if (!report?.stability || configurations.length === 0) return null;
    const treatments = configurations.flatMap(({ name, one: { treatment } }) => {
      const known = report.treatments.find(({ key }) => key === treatment.key);
      const { mark } = treatment;
      return known
        ? [{ ...known, mark, label: name, shortLabel: name, colourLabel: name, rowLabel: '' }]
        : [];
    });
    const context = makeFigureContext({ ...report, treatments }, palette);
    return make({ ...context, configurations, stability: report.stability }, input);
  };
}

/** Returns the entries for the configurations above, in their order. */
export function ofStudy<T extends { treatment: string }>(
  { report }: FigureContext,
  entries: readonly T[],
): T[] {
  return report.treatments.flatMap(({ key }) => entries.filter(({ treatment }) => treatment === key));
}

export function tableBy<T extends { treatment: string }>(
  context: Context,
  entries: readonly T[],
  columns: readonly Column<T>[],
): DocumentTable {
  return makeTable(ofStudy(context, entries), [
    { head: 'Configuration', of: ({ treatment }) => context.name(treatment) },
    ...columns,
  ]);
}
