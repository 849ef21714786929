import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { answerPictureOf } from '@mqttlab/shared/catalogue/workloads';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import { isAddress } from '@mqttlab/shared/domain/devices/network-address';
import {
  goesAlong,
  type KeptPackets,
  type PacketChoice,
  sumPackets,
} from '@mqttlab/shared/domain/runs/capture';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import { rowsPerPage } from '@mqttlab/shared/messages/api/endpoint';
import { compareQuerySchema, compareSeriesQuerySchema } from '@mqttlab/shared/messages/http';
import type { Share, SharedContent, SharePreview } from '@mqttlab/shared/messages/shares';
import * as z from 'zod';
import { notFound, ProblemError } from '../base/errors.ts';
import { activeStatuses } from '../store/experiments/experiment-list.ts';
import type { StudyStore } from '../store/experiments/study-store.ts';
import type { ShareSubject } from '../store/settings/share-store.ts';
import { type AnalysisStores, makeComparison, selectedExperiments } from './compare.ts';
import { compareSeries } from './series.ts';
import { judgeStudyRun, readStudyResults, type StudyResultStores, viewStudyRun } from './studies.ts';

type Content = SharedContent['content'];

interface ShareState {
  title: string;
  /** True if a part of the content is still running or waiting. */
  live: boolean;
  /** True if the content will not change, so that it can be frozen. */
  settled: boolean;
}

/**
 * Resolves with the current content of a share. Rejects with a 404 problem if its subject does not exist, or
 * a 410 problem if it was deleted.
 */
export async function makeShareContent(stores: ReportedStores, subject: ShareSubject): Promise<Content> {
  if (subject.kind === 'study') return shareStudyRun(stores, subject);
  if (subject.kind === 'experiment') return shareExperiment(stores, subject.experimentId);
  if (subject.kind === 'run') return shareRun(stores, subject.runId);
  return shareView(stores, subject.view);
}

/** Returns only the title and state, from summaries. Throws the same problems. */
export function stateOfShare(stores: SharedStores, subject: ShareSubject): ShareState {
  if (subject.kind === 'study') {
    const run = viewStudyRun(stores, findStudyRun(stores, subject.studyRunId));
    const live = run.status === 'running';
    return { title: `${run.title}, ${run.scale} (study run ${run.id})`, live, settled: !live };
  }
  if (subject.kind === 'run') {
    const run = stores.runs.findRun(subject.runId);
    const experiment = run && stores.experiments.findExperimentSummary(run.experimentId);
    if (!run || !experiment) throw notFound('run', subject.runId);
    const settled = isSettled(run.status);
    return { title: `Run ${run.trialNumber} of ${experiment.name}`, live: !settled, settled };
  }
  const found = experimentsOfShare(stores, subject).map((id) => {
    const summary = stores.experiments.findExperimentSummary(id);
    if (!summary) throw notFound('experiment', id);
    if (summary.deletedAt !== null) throw gone(`Experiment ${id}`);
    return summary;
  });
  const statuses: readonly string[] = found.map(({ status }) => status);
  const live = statuses.some((status) => (activeStatuses as readonly string[]).includes(status));
  return {
    title: found.map(({ name }) => name).join(' · '),
    live,
    settled: !live && !statuses.includes('draft'),
  };
}

async function shareExperiment(stores: AnalysisStores, id: number): Promise<Content> {
  const experiment = await detailWithRows(stores, id);
  if (!experiment) throw notFound('experiment', id);
  if (experiment.deletedAt !== null) throw gone(`Experiment ${id}`);
  const comparison = await makeComparison(stores, { experiments: String(id) });
  return { kind: 'experiment', experiment, comparison, ...answerOverTime(stores, comparison) };
}

/** Returns an experiment with all its trials and the rows of all its runs; null if it does not exist. */
async function detailWithRows({ experiments }: AnalysisStores, id: number): Promise<ExperimentDetail | null> {
  const detail = experiments.findExperimentDetail(id);
  if (!detail) return null;
  const { nextRuns, nextTrials, ...experiment } = detail;
  const runs = [...experiment.runs];
  for (let after = nextRuns; after !== undefined; ) {
    await yieldToEventLoop();
    const page = experiments.listExperimentRows(id, { after, limit: rowsPerPage });
    runs.push(...page.items);
    after = page.next;
  }
  const plan = nextTrials === undefined ? experiment.plan : (experiments.findExperiment(id)?.plan ?? null);
  return { ...experiment, plan, runs };
}

/** Returns the default series, only if it is the answer. */
function answerOverTime(stores: AnalysisStores, { experiments, treatments }: Comparison) {
  const picture = answerPictureOf(treatments.map(({ treatment }) => treatment.spec));
  if (picture?.layout !== 'over time') return {};
  const query = { experiments: experiments.map(({ id }) => id).join(',') };
  return { series: compareSeries(stores, query, { ...picture, flagged: false }) };
}

function shareRun(stores: AnalysisStores, id: number): Content {
  const run = stores.runs.findRunDetail(id);
  if (!run) throw notFound('run', id);
  return { kind: 'run', run };
}

async function shareView(stores: AnalysisStores, view: string): Promise<Content> {
  const { chosen, series, flagged } = parseView(view);
  const comparison = await makeComparison(stores, chosen);
  return { kind: 'view', view, comparison, series: compareSeries(stores, chosen, { ...series, flagged }) };
}

/**
 * Parts of the compare page's address that select the comparison; the other parts only affect its display.
 */
const viewSchema = z.object({
  ...compareQuerySchema.shape,
  role: compareSeriesQuerySchema.shape.role.default('subscriber'),
  /** Absent: the default. */
  series: compareSeriesQuerySchema.shape.metric,
  flagged: z.enum(['0', '1']).default('0'),
});

function parseView(view: string) {
  const params = Object.fromEntries([...new URLSearchParams(view)].filter(([, value]) => value !== ''));
  const parsed = viewSchema.safeParse(params);
  if (!parsed.success || (!parsed.data.experiments && !parsed.data.runs)) {
    throw new ProblemError({
      status: 422,
      detail: 'The view names no experiments and no runs.',
      remedy: 'Send the query string of the compare page.',
      issues: [
        {
          field: 'view',
          reason: parsed.success ? 'it names no experiments and no runs' : z.prettifyError(parsed.error),
          remedy: 'Send the query string of the compare page.',
        },
      ],
    });
  }
  const { role, series: metric, flagged, ...chosen } = parsed.data;
  return { chosen, series: metric ? { role, metric } : null, flagged: flagged === '1' };
}

function gone(what: string): ProblemError {
  return new ProblemError({
    status: 410,
    detail: `${what} was deleted.`,
    remedy: 'Ask the person who shared it to restore it.',
  });
}

export interface SharedStores extends AnalysisStores {
  studies: Pick<StudyStore, 'findStudyRun'>;
}

type ReportedStores = SharedStores & StudyResultStores;

function findStudyRun({ studies }: SharedStores, id: number) {
  const record = studies.findStudyRun(id);
  if (!record) throw notFound('study run', id);
  return record;
}

/** Collects all data of a study run's page. */
async function shareStudyRun(
  stores: ReportedStores,
  { studyRunId, flagged }: Extract<ShareSubject, { kind: 'study' }>,
): Promise<Content> {
  const run = viewStudyRun(stores, findStudyRun(stores, studyRunId));
  const results = await readStudyResults(stores, run, flagged);
  const board = await judgeStudyRun(stores, run, { results, flagged });
  return { kind: 'study', run, flagged, results, board };
}

/** Returns the experiments of a link, for a study run in order. */
export function experimentsOfShare(stores: SharedStores, subject: ShareSubject): number[] {
  if (subject.kind === 'experiment') return [subject.experimentId];
  if (subject.kind === 'run') return [stores.runs.findRun(subject.runId)?.experimentId ?? 0];
  if (subject.kind === 'view') return selectedExperiments(stores, parseView(subject.view).chosen);
  const parts = stores.studies.findStudyRun(subject.studyRunId)?.parts ?? [];
  return parts.flatMap(({ experimentId }) => (experimentId === null ? [] : [experimentId]));
}

/**
 * Returns the deleted experiments of a link. Throws a 410 problem if the link ends with them, because it
 * shows nothing else or compares them with others. A link to a study run continues with its other parts.
 */
export function findDeleted(stores: SharedStores, subject: ShareSubject): ReadonlySet<number> {
  const all = experimentsOfShare(stores, subject);
  const deleted = new Set(
    all.filter((id) => (stores.experiments.findExperiment(id)?.deletedAt ?? null) !== null),
  );
  const ends = subject.kind === 'study' ? deleted.size === all.length : deleted.size > 0;
  if (all.length === 0 || !ends) return deleted;
  const [first] = deleted;
  throw new ProblemError({
    status: 410,
    detail: `Experiment ${first} was deleted, so its links no longer work.`,
    remedy: 'Ask the person who shared it to restore it.',
  });
}

/** Removes content that only users with an account are allowed to see. */
export function forVisitors({ details, packets }: Share, content: Content): Content {
  const shown = details ? content : redactShare(content);
  if (shown.kind !== 'run' || content.kind !== 'run') return shown;
  const files = content.run.files.filter(({ name }) => goesAlong(packets, name));
  return { ...shown, run: { ...shown.run, files } };
}

/** Returns the content of a study run without the results of experiments that were deleted since. */
export function withoutParts(content: Content, deleted: ReadonlySet<number>): Content {
  if (content.kind !== 'study') return content;
  const partIds = content.run.parts
    .filter(({ experimentId }) => experimentId !== null && deleted.has(experimentId))
    .map(({ id }) => id);
  return { ...content, results: content.results.filter(({ partId }) => !partIds.includes(partId)) };
}

const people = new Set(['startedBy', 'by']);
const maxLetters = 80;

interface Found {
  devices: Set<string>;
  notes: Set<string>;
  logLines: number;
  people: Set<string>;
}

/** Describes what a link would show and omit, counted in its actual content. Pure. */
export function describeShare(
  content: Content,
  { details, packets = 'none' }: { details: boolean; packets?: PacketChoice },
): SharePreview {
  const found: Found = { devices: new Set(), notes: new Set(), logLines: 0, people: new Set() };
  look('', content, found);
  const hiddenTexts = countDifferent(content, redactShare(content));
  found.devices.delete('');
  const secret = [
    hiddenTexts === 0 ? '' : `${hiddenTexts} values with addresses, ports, processes, paths or machine ids`,
    found.logLines === 0 ? '' : `${found.logLines} lines of logs`,
    found.people.size === 0 ? '' : `who started or excluded it: ${[...found.people].join(', ')}`,
  ].filter((words) => words !== '');
  const kept = sumPackets(content.kind === 'run' ? content.run.files : []);
  const [along, left] = packetWords(kept, packets);
  const shows = [
    ...subjectWords(content),
    'figures, design, negotiated parameters, and versions',
    ...(found.devices.size === 0 ? [] : [`names of devices: ${[...found.devices].sort().join(', ')}`]),
    ...[...found.notes].map((text) => `notes: “${shorten(text)}”`),
    ...(details ? secret : []),
    ...along,
  ];
  const headline = content.kind === 'experiment' ? content.experiment.headline : null;
  return { shows, hides: [...(details ? [] : secret), ...left], packets: kept, headline };
}

/** Lists the included and the omitted content. */
function packetWords({ captures, keyLogs }: KeptPackets, choice: PacketChoice): [string[], string[]] {
  const words = [
    ['capture.pcap', captures, 'packet capture'],
    ['keys.log', keyLogs, 'key log'],
  ] as const;
  const said = (isAlong: boolean) =>
    words
      .filter(([name, { files }]) => files > 0 && goesAlong(choice, name) === isAlong)
      .map(([, { files, bytes }, noun]) => `${plural(files, noun)}, ${formatBytes(bytes)}`);
  return [said(true), said(false)];
}

function subjectWords(content: Content): string[] {
  if (content.kind === 'experiment') {
    const { experiment } = content;
    const treatments = experiment.plan?.treatments.length ?? 0;
    const question = experiment.question === '' ? [] : [`the question “${shorten(experiment.question)}”`];
    return [
      `“${experiment.name}” with ${experiment.runs.length} runs of ${treatments} treatments`,
      ...question,
    ];
  }
  if (content.kind === 'run') return [`run ${content.run.trialNumber} of “${content.run.experimentName}”`];
  if (content.kind === 'study') return [`“${content.run.title}” with ${content.results.length} parts`];
  return content.comparison.experiments.map(({ name }) => `“${name}”, compared`);
}

const shorten = (text: string): string =>
  text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text;

function look(key: string, value: unknown, found: Found): void {
  if (/^device(Id)?$/.test(key) && typeof value === 'string') found.devices.add(value);
  else if (key === 'notes' && typeof value === 'string' && value.trim() !== '') found.notes.add(value.trim());
  else if (people.has(key) && typeof value === 'string') found.people.add(value);
  else if (key === 'log' && Array.isArray(value)) found.logLines += value.length;
  else if (typeof value === 'object' && value !== null && !isNumbers(value)) {
    for (const [name, item] of Object.entries(value)) look(Array.isArray(value) ? key : name, item, found);
  }
}

const isNumbers = (value: object): boolean => Array.isArray(value) && typeof value[0] === 'number';

/** Counts the values that change or disappear in a public link; logs and people are counted separately. */
function countDifferent(before: unknown, after: unknown): number {
  if (typeof before !== 'object' || before === null || isNumbers(before)) return before === after ? 0 : 1;
  return Object.entries(before)
    .filter(([name]) => name !== 'log' && name !== 'files' && !people.has(name))
    .reduce((sum, [name, item]) => sum + countDifferent(item, (after as Record<string, unknown>)?.[name]), 0);
}

const hidden = '(not shown)';

/** Public facts about a device: its hardware and software versions. */
const publicFact =
  /^((agent|node|broker)\.version|node\.tlsLibrary|device\.(os|kernel|architecture|memoryBytes)|cpu\..+|kernel|governor|throttl.*|clock\..+|time\..+|energy\..+|broker\.(kind|tlsLibrary)|client\.engine)$/;

/** Texts written by users, which they intend to share. */
const authored = new Set(['name', 'question', 'notes', 'tags', 'title', 'experimentName']);

/** Replacements for required values, by field name. */
const replaced: Readonly<Record<string, (value: unknown) => unknown>> = {
  log: (value) => (Array.isArray(value) ? [] : value),
  localPorts: () => [],
  files: () => [],
  clientPort: () => 0,
  payloadSample: () => null,
  // User names are also private.
  startedBy: () => null,
  by: () => undefined,
  localAddress: () => '',
  remoteAddress: () => '',
  localPort: () => 0,
  remotePort: () => 0,
  networkStack: () => '',
  environment: (value) =>
    Object.fromEntries(Object.entries(value as object).filter(([key]) => publicFact.test(key))),
};

/**
 * Returns the public content of a link: figures, design, negotiated facts and versions. Addresses, ports,
 * processes, paths, boot ids and logs are removed, because they could help an attacker of the laboratory.
 * Pure.
 */
export function redactShare(content: Content): Content {
  return redact('', content) as Content;
}

function redact(key: string, value: unknown): unknown {
  if (typeof value === 'string') return authored.has(key) ? value : redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    // Series are long and contain only numbers.
    const isPlain = authored.has(key) || typeof value[0] === 'number';
    return isPlain ? value : value.map((item) => redact(key, item));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const replacement = entryOf(replaced, name);
      return [name, redact(name, replacement ? replacement(item) : item)];
    }),
  );
}

const patterns: readonly RegExp[] = [
  /\b(?:https?|mqtts?|wss?|tcp|coap):\/\/[^\s,;)"]+/gi,
  // UUIDs: boot ids.
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi,
  // Hardware addresses.
  /\b(?:[\da-f]{2}:){5}[\da-f]{2}\b/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g,
  /(?<![\w.-])(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?::\d{2,5})\b/gi,
  // Absolute paths: below the usual roots, or of at least two parts.
  /(?<![\w./:])\/(?:(?:bin|dev|etc|home|mnt|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)\b[^\s,;:)"']*|[\w.@+~-]+(?:\/[\w.@+~-]+)+\/?)/g,
];
const numbered = /\b(pids?|process(?:es)?|ports?)(\s+|:\s*|=)\d+(?:(?:,\s*|\s+and\s+)\d+)*/gi;

/** Removes addresses, ports, processes, paths and boot ids from a text. Pure. */
export function redactText(text: string): string {
  const without = patterns.reduce((words, pattern) => words.replace(pattern, hidden), text);
  return without
    .replace(/\[?[\da-f]*(?::[\da-f]*){2,}(?:%\w+)?\]?(?::\d{1,5})?/gi, (found) =>
      isIpv6(found) ? hidden : found,
    )
    .replace(numbered, (_found, what: string, between: string) => `${what}${between}${hidden}`);
}

/** Accepts addresses with or without brackets and port; a time of day does not match. */
function isIpv6(text: string): boolean {
  const inBrackets = /^\[([^\]]+)\]/.exec(text)?.[1];
  return isAddress(inBrackets ?? text);
}
