import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { colourOf, type Palette } from '@mqttlab/shared/figures/drawing/palette';
import { label } from '@mqttlab/shared/figures/drawing/plot';
import { el, type Picture, type SvgNode } from '@mqttlab/shared/figures/drawing/svg';
import { findPublished } from '../published.ts';

interface Sketch {
  xLabel: string;
  isLog?: boolean;
  rows: readonly { label: string; published: readonly number[] }[];
}

const width = 360;

function single(study: string, table: string, metric: string): Sketch['rows'] {
  const found = findPublished({ study, table, metric });
  return found.map(({ treatment, value }) => ({ label: treatment, published: [value] }));
}

/** Published values by what their treatments have in common. */
function grouped(
  study: string,
  table: string,
  groupOf: (treatment: string) => string | null,
): Sketch['rows'] {
  const found = findPublished({ study, table });
  const groups = Map.groupBy(found, ({ treatment }) => groupOf(treatment));
  return [...groups].flatMap(([label, entries]) =>
    label === null ? [] : [{ label, published: entries.map(({ value }) => value) }],
  );
}

/** One picture of each study from its published values; a study that published none has none. */
const sketches: Readonly<Record<string, Sketch>> = {
  'rpi-broker': {
    xLabel: 'bytes to reach a state',
    isLog: true,
    rows: grouped('rpi-broker', 'bytes-to-state', (treatment) => `${treatment.split(' ')[1]}: TCP, TLS`),
  },
  'cipher-suites': {
    xLabel: 'msg/s, worst and best suite of TLS 1.2',
    rows: grouped('cipher-suites', 'best-worst', (treatment) =>
      treatment.includes('TLS 1.2') ? (treatment.split(' TLS ')[0] ?? null) : null,
    ),
  },
  'stability-aware': {
    xLabel: 'mAh in 600 s, emitter',
    rows: single('stability-aware', 'summary', 'cumulative energy'),
  },
  hecs4mqtt: {
    xLabel: 'approximate entropy of the ciphertext, mean p',
    rows: single('hecs4mqtt', 'approximate-entropy', 'mean p'),
  },
};

/** Of a study without published figures: what it tells apart, drawn without a scale. */
const schematics: Readonly<Record<string, (palette: Palette) => Picture>> = { 'v2x-tls': drawSchematic };

export function isSchematic(studyId: string): boolean {
  return Object.hasOwn(schematics, studyId);
}

/** null for what is no study. */
export function sketchOf(studyId: string, palette: Palette): Picture | null {
  const sketch = entryOf(sketches, studyId);
  return sketch ? draw(sketch, palette) : (entryOf(schematics, studyId)?.(palette) ?? null);
}

const maxRows = 6;

/** The first metric of the first part that was measured where the study was saved; null where none was. */
export function sketchOfOwn({ parts }: StudyFile, palette: Palette): Picture | null {
  const [metric] = parts.flatMap(({ reference }) => reference?.metrics ?? []);
  if (!metric) return null;
  const rows = metric.values.slice(0, maxRows).map(({ label, mean }) => ({ label, published: [mean] }));
  return draw({ xLabel: `${metric.label}, ${metric.unit}`, rows }, palette);
}

function draw({ xLabel, isLog = false, rows }: Sketch, palette: Palette): Picture | null {
  return drawBeside({
    palette,
    rows: rows.map((row) => ({ ...row, measured: null })),
    xLabel,
    isLog,
    width,
    label: `Published: ${xLabel}`,
    publishedOnly: true,
  });
}

const schematicSize = { width: 360, height: 104 };
const left = 66;
/** Widths that hold the words; they stand for no time. */
const phases = [
  { name: 'TCP', style: 7, width: 34 },
  { name: 'TLS', style: 2, width: 34 },
  { name: 'CONNECT', style: 6, width: 60 },
  { name: 'SUB', style: 4, width: 36 },
  { name: 'transfer', style: 5, width: 76 },
  { name: 'DISC', style: 8, width: 40 },
] as const;

const roles = [
  { name: 'publisher', without: ['SUB'] },
  { name: 'subscriber', without: [] },
  { name: 'broker', without: ['TCP', 'TLS', 'CONNECT', 'SUB', 'DISC'] },
] as const;

/** Which phases of a connection are told apart for each role, in their order and without a scale. */
function drawSchematic(palette: Palette): Picture {
  const nodes: SvgNode[] = roles.flatMap(({ name, without }, row) => {
    const y = 8 + row * 32;
    let x = left;
    const boxes = phases.flatMap(({ name: phase, style, width }): SvgNode[] => {
      const at = x;
      x += width;
      if ((without as readonly string[]).includes(phase)) return [];
      return [
        el('rect', {
          x: at + 1,
          y,
          width: width - 2,
          height: 24,
          fill: colourOf(palette, style),
          fillOpacity: 0.35,
        }),
        label(phase, { x: at + width / 2, y: y + 12, anchor: 'middle', fill: palette.text, size: 9.5 }),
      ];
    });
    return [label(name, { x: left - 8, y: y + 12, anchor: 'end', fill: palette.text2 }), ...boxes];
  });
  return { ...schematicSize, label: 'Phases of a connection, by role', nodes };
}
