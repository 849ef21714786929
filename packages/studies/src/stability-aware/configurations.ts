import type { Levels } from '@mqttlab/shared/analysis/claims/claim';
import type { ReportStability } from '@mqttlab/shared/domain/report/report-stability';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { type Column, type DocumentTable, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { type FigureContext, makeFigureContext } from '@mqttlab/shared/figures/drawing/treatments';
import type { StudyInput } from '../page/input.ts';
import { publishedBeside } from '../published.ts';
import { isHybrid, isPlain, isTls } from './claims.ts';

/** The study's three configurations under its names, then the fair ones that it lacks. */
const configurations: readonly { name: string; isOf: (levels: Levels) => boolean; published?: string }[] = [
  { name: 'Plain', isOf: isPlain, published: 'plain' },
  { name: 'TLS 1.2, RSA key exchange', isOf: isTls, published: 'TLS 1.2' },
  { name: 'ECDH + AES-128-CBC, no MAC', isOf: isHybrid, published: 'ECDH+AES-128-CBC' },
  { name: 'ECDH + AES-128-GCM', isOf: ({ payloadCipher }) => payloadCipher === 'ecdh-p256-aes-128-gcm' },
  { name: 'TLS 1.2, ECDHE', isOf: (levels) => levels.security === 'TLS 1.2' && !isTls(levels) },
  { name: 'TLS 1.3', isOf: ({ security }) => security === 'TLS 1.3' },
];

export interface Configuration {
  name: string;
  published: string | null;
  one: ComparedTreatment;
}

/** Those that were run, each with a colour; the plan gives one to all that share a TLS version. */
export function configurationsOf({ treatments }: StudyInput): Configuration[] {
  return configurations.flatMap(({ name, isOf, published = null }, index) => {
    const found = treatments.find(({ treatment }) => isOf(treatment.levels));
    if (!found) return [];
    const treatment = { ...found.treatment, mark: index + 1, shortLabel: name };
    return [{ name, published, one: { ...found, treatment } }];
  });
}

export function configurationName({ treatment }: ComparedTreatment): string {
  return configurations.find(({ isOf }) => isOf(treatment.levels))?.name ?? treatment.shortLabel;
}

export function printed(metric: string, { published, one }: Configuration): number | null {
  if (published === null) return null;
  const question = { study: 'stability-aware', table: 'summary', metric, treatment: published };
  return publishedBeside(one.treatment, question)?.value ?? null;
}

export interface Context extends FigureContext {
  configurations: readonly Configuration[];
  stability: ReportStability;
}

/** null while there is no report, or without series of power. */
function contextOf(input: StudyInput): Context | null {
  const { report, palette } = input;
  const rows = configurationsOf(input);
  const stability = report?.stability;
  if (!report || !stability) return null;
  const treatments = rows.flatMap(({ name, one: { treatment } }) => {
    const known = report.treatments.find(({ key }) => key === treatment.key);
    if (!known) return [];
    return [
      { ...known, mark: treatment.mark, label: name, shortLabel: name, colourLabel: name, rowLabel: '' },
    ];
  });
  return treatments.length === 0
    ? null
    : { ...makeFigureContext({ ...report, treatments }, palette), configurations: rows, stability };
}

/** Only entries of a configuration above, in its order. */
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

/** Makes a table or chart that needs the series of the report. */
export function withSeries<T>(
  make: (context: Context, input: StudyInput) => T | null,
): (input: StudyInput) => T | null {
  return (input) => {
    const context = contextOf(input);
    return context && make(context, input);
  };
}
