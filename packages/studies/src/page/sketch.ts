import type { Palette } from '@mqttlab/charts/drawing/palette';
import type { Picture } from '@mqttlab/charts/drawing/svg';
import { drawDots } from '@mqttlab/charts/kinds/dot';
import { entryOf } from '@mqttlab/shared/domain/bounds';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
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

/** Groups published values by a common part of their treatment names. */
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

/** A small chart of each study's published values, if there are any. */
const sketches: Readonly<Record<string, Sketch>> = {
  'rpi-broker': {
    xLabel: 'bytes to reach a state',
    isLog: true,
    rows: grouped('rpi-broker', 'bytes-to-state', (treatment) => `${treatment.split(' ')[1]}: TCP, TLS`),
  },
  'cipher-suites': {
    xLabel: 'msg/s, worst and best TLS 1.2 suite',
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

/** Returns null for a study without published figures. */
export function sketchOf(studyId: string, palette: Palette): Picture | null {
  const sketch = entryOf(sketches, studyId);
  return sketch ? draw(sketch, palette) : null;
}

const maxRows = 6;

/** Draws the first metric of the first part with saved results; returns null if there is none. */
export function sketchOfOwn({ parts }: StudyFile, palette: Palette): Picture | null {
  const [metric] = parts.flatMap(({ reference }) => reference?.metrics ?? []);
  if (!metric) return null;
  const rows = metric.values.slice(0, maxRows).map(({ label, mean }) => ({ label, published: [mean] }));
  return draw({ xLabel: `${metric.label}, ${metric.unit}`, rows }, palette);
}

function draw({ xLabel, isLog = false, rows }: Sketch, palette: Palette): Picture | null {
  return drawDots({
    palette,
    rows: rows.map((row) => ({ ...row, measured: null })),
    xLabel,
    isLog,
    width,
    label: `Published: ${xLabel}`,
    publishedOnly: true,
  });
}
