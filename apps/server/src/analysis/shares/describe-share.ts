import {
  goesAlong,
  type KeptPackets,
  type PacketChoice,
  sumPackets,
} from '@mqttlab/shared/domain/runs/capture';
import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { SharedContent, SharePreview } from '@mqttlab/shared/messages/shares';
import { redactShare } from './redact-share.ts';

type Content = SharedContent['content'];

const people = new Set(['startedBy', 'by']);
const maxLetters = 80;

interface Found {
  devices: Set<string>;
  notes: Set<string>;
  logLines: number;
  people: Set<string>;
}

/** What a link would show, and what stays out of it, in words; counted in the very content. Pure. */
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
    'figures, design, what was negotiated, and versions',
    ...(found.devices.size === 0 ? [] : [`names of devices: ${[...found.devices].sort().join(', ')}`]),
    ...[...found.notes].map((text) => `notes: “${shorten(text)}”`),
    ...(details ? secret : []),
    ...along,
  ];
  const headline = content.kind === 'experiment' ? content.experiment.headline : null;
  return { shows, hides: [...(details ? [] : secret), ...left], packets: kept, headline };
}

/** What goes along, and what does not. */
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

/** Values that are others, or gone, once a link for everybody is made of it; logs and people are counted apart. */
function countDifferent(before: unknown, after: unknown): number {
  if (typeof before !== 'object' || before === null || isNumbers(before)) return before === after ? 0 : 1;
  return Object.entries(before)
    .filter(([name]) => name !== 'log' && name !== 'files' && !people.has(name))
    .reduce((sum, [name, item]) => sum + countDifferent(item, (after as Record<string, unknown>)?.[name]), 0);
}
