import { comparisonRule } from '@mqttlab/shared/analysis/contrasts';
import { stoppingNote } from '@mqttlab/shared/analysis/counting-runs';
import { usualLevel } from '@mqttlab/shared/analysis/estimate';
import { nounOf } from '@mqttlab/shared/analysis/phrase';
import { flagRule } from '@mqttlab/shared/catalogue/flags';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { countingAttemptRule } from '@mqttlab/shared/domain/runs/run';
import { formatCount, plural } from '@mqttlab/shared/format/number';
import { startSentence } from '@mqttlab/shared/format/unit';
import type { DocumentTable } from '../table.ts';
import { cellText, columnKinds, headText } from './document-html.ts';

/** Converts a table to LaTeX with the packages booktabs and textcomp. Numbers are aligned right. */
export function toLatex(table: DocumentTable, caption: string): string {
  const kinds = columnKinds(table);
  const line = (cells: readonly string[]) => `    ${cells.map(escapeLatex).join(' & ')} \\\\`;
  return [
    '\\begin{table}',
    '  \\centering',
    `  \\caption{${escapeLatex(caption)}}`,
    `  \\begin{tabular}{${kinds.map((kind) => (kind === 'number' ? 'r' : 'l')).join('')}}`,
    '    \\toprule',
    line(table.columns.map(headText)),
    '    \\midrule',
    ...textsOf(table).map(line),
    '    \\bottomrule',
    '  \\end{tabular}',
    '\\end{table}',
    '',
  ].join('\n');
}

/** Converts a table to GitHub-flavoured Markdown. */
export function toMarkdown(table: DocumentTable): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\s+/g, ' ')).join(' | ')} |`;
  const rule = columnKinds(table).map((kind) => (kind === 'number' ? '--:' : '---'));
  return [line(table.columns.map(headText)), `| ${rule.join(' | ')} |`, ...textsOf(table).map(line), ''].join(
    '\n',
  );
}

function textsOf({ columns, rows }: DocumentTable): string[][] {
  return rows.map((row) => columns.map((column, index) => cellText(row[index], column)));
}

const latexMarks: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '\u00a0': '~',
  '\u202f': '\\,',
  '−': '$-$',
  '±': '$\\pm$',
  '×': '$\\times$',
  '·': '$\\cdot$',
  '<': '$<$',
  '>': '$>$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  µ: '\\textmu{}',
  μ: '\\textmu{}',
  δ: '$\\delta$',
  χ: '$\\chi$',
  '²': '$^2$',
  '–': '--',
  '’': "'",
  '“': '``',
  '”': "''",
};

function escapeLatex(text: string): string {
  return text.replace(
    /[\\~^\u00a0\u202f−±×·<>≤≥µμδχ²–’“”{}#$%&_]/g,
    (mark) => latexMarks[mark] ?? `\\${mark}`,
  );
}

/** Returns a Methods paragraph for a paper. */
export function methodsParagraph({
  software,
  experiment,
  design,
  treatments,
  validity,
  responses,
}: Report): string {
  const foreign = experiment.imported?.foreign;
  const varied = design.rows.filter((row) => row.varied);
  const factors = varied.map(({ parameter, levels }) => `${parameter} (${levels.join(', ')})`).join('; ');
  const isRandom = design.order === 'random in block';
  const contrasts = responses.flatMap((response) => response.contrasts);
  const isOnRequest = validity.takesFlagged && validity.flagged > 0;
  const { attempts, trials, used, flagged, excluded } = validity;
  return [
    foreign
      ? `Measurements were made with ${foreign.tool} and analysed with ${software}; no validity check was possible.`
      : `Measurements were made with ${software}.`,
    varied.length > 0 ? `The factors were ${factors}.` : 'No factor was varied.',
    `${plural(treatments.length, 'treatment')} ran with ${plural(design.repetitions, 'repetition')}, ${foreign ? 'in an unknown order' : isRandom ? `in random order within each repetition (seed ${design.seed})` : 'in a fixed order'}.`,
    `Of ${plural(trials, 'trial')}${attempts > trials ? ` (${formatCount(attempts)} attempts)` : ''}, ${plural(used, 'run')} entered the analysis;`,
    `${plural(flagged, 'run')} failed a validity check${isOnRequest ? ' and were nevertheless included' : ''} and ${formatCount(excluded)} ${excluded === 1 ? 'was' : 'were'} excluded manually.`,
    ...(flagged > 0 && !isOnRequest ? [`${startSentence(flagRule)}.`] : []),
    ...(attempts > trials ? [`Of each trial ${countingAttemptRule}.`] : []),
    `The run is the unit of inference. The response is ${nounOf({ label: design.response })}. Positive quantities are summarised by geometric means over runs, counts and shares by means, with ${100 * usualLevel} % t intervals.`,
    ...(design.stopping === null ? [] : [`${startSentence(stoppingNote)}.`]),
    ...(contrasts.length === 0
      ? []
      : [
          `Treatments are compared with the baseline by ${comparisonRule(contrasts)}, and p-values are adjusted with Holm’s method over all contrasts of a metric.`,
        ]),
  ].join(' ');
}

type Cited = Pick<Report, 'software' | 'experiment'>;

/** Returns BibTeX entries for the data, if an author is stated, and for the program, from CITATION.cff. */
export function bibtexOf(report: Cited): string {
  const [name = report.software, version = ''] = report.software.split(' ');
  const year = yearOf(report);
  return [
    ...dataEntry(report),
    `@software{${name},`,
    `  title = {${name}: experiments on secure MQTT},`,
    '  author = {{The mqttlab developers}},',
    ...(version === '' ? [] : [`  version = {${version}},`]),
    ...(year === null ? [] : [`  year = {${year}},`]),
    '  license = {Apache-2.0}',
    '}',
    '',
  ].join('\n');
}

function dataEntry(report: Cited): string[] {
  const { authorship, id, name } = report.experiment;
  const by = authorship?.author || authorship?.affiliation;
  if (!authorship || !by) return [];
  const year = yearOf(report);
  const { orcid, affiliation, licence, funding } = authorship;
  const fields: readonly [string, string][] = [
    ['title', `{${escapeLatex(name)}}`],
    ['author', authorship.author === '' ? `{${escapeLatex(by)}}` : escapeLatex(by)],
    ...(year === null ? [] : [['year', String(year)] as [string, string]]),
    ['howpublished', `Data set, measured with ${escapeLatex(report.software)}`],
    ...(affiliation === '' ? [] : [['institution', escapeLatex(affiliation)] as [string, string]]),
    ...(orcid === '' ? [] : [['orcid', orcid] as [string, string]]),
    ...(licence === '' ? [] : [['license', licence] as [string, string]]),
    ...(funding === '' ? [] : [['note', escapeLatex(`Funding: ${funding}`)] as [string, string]]),
  ];
  const lines = fields.map(([field, text]) => `  ${field} = {${text}}`);
  return [`@misc{mqttlab-experiment-${id}${year === null ? '' : `-${year}`},`, lines.join(',\n'), '}', ''];
}

function yearOf({ experiment: { startedAt } }: Cited): number | null {
  return startedAt === null ? null : new Date(startedAt).getUTCFullYear();
}

/**
 * Returns a CITATION.cff file for the data, in Citation File Format 1.2.0. JSON strings are valid YAML
 * strings.
 */
export function citationFileOf({ software, experiment }: Cited): string {
  const { name, question, startedAt, finishedAt, authorship } = experiment;
  const at = finishedAt ?? startedAt;
  const text = (value: string) => JSON.stringify(value);
  return [
    'cff-version: 1.2.0',
    'message: If you use these data, please cite them.',
    'type: dataset',
    `title: ${text(name)}`,
    ...(question === '' ? [] : [`abstract: ${text(question)}`]),
    'authors:',
    ...authorLines(authorship).map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`),
    ...(at === null ? [] : [`date-released: ${new Date(at).toISOString().slice(0, 10)}`]),
    ...(authorship?.licence ? [`license: ${authorship.licence}`] : []),
    'references:',
    '  - type: software',
    `    title: ${text(software)}`,
    '    authors:',
    '      - name: The mqttlab developers',
    '',
  ].join('\n');
}

/** Returns the author lines. A person has family and given names; an organisation has a name. */
function authorLines(authorship: Report['experiment']['authorship']): string[] {
  const { author = '', orcid = '', affiliation = '' } = authorship ?? {};
  if (author === '') return [`name: ${JSON.stringify(affiliation || 'Unknown author')}`];
  const [family = author, given = ''] = author.includes(',')
    ? author.split(/,\s*/, 2)
    : [author.split(' ').at(-1) ?? author, author.split(' ').slice(0, -1).join(' ')];
  return [
    `family-names: ${JSON.stringify(family)}`,
    ...(given === '' ? [] : [`given-names: ${JSON.stringify(given)}`]),
    ...(affiliation === '' ? [] : [`affiliation: ${JSON.stringify(affiliation)}`]),
    ...(orcid === '' ? [] : [`orcid: https://orcid.org/${orcid}`]),
  ];
}
