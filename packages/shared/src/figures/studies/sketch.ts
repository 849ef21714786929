import { findPublished } from '../../catalogue/studies/published.ts';
import type { StudyFile } from '../../domain/plans/study-file.ts';
import type { Palette } from '../drawing/palette.ts';
import type { Picture } from '../drawing/svg.ts';
import { type BesideRow, drawBeside } from './draw-beside.ts';
import { drawPhases } from './tls/draw-phases.ts';

interface Sketch {
  xLabel: string;
  isLog?: boolean;
  rows(): Omit<BesideRow, 'measured'>[];
}

const width = 360;

function single(study: string, table: string, metric: string): Omit<BesideRow, 'measured'>[] {
  return findPublished({ study, table, metric }).map(({ treatment, value }) => ({
    label: treatment,
    published: [value],
  }));
}

/** One picture of each study from its published values; a study that published none has none. */
const sketches: Readonly<Record<string, Sketch>> = {
  'rpi-broker': {
    xLabel: 'bytes to reach a state',
    isLog: true,
    rows: () =>
      ['CON', 'SUB', 'PUB', 'DISC'].map((state) => ({
        label: `${state}: TCP, TLS`,
        published: findPublished({ study: 'rpi-broker', table: 'bytes-to-state' })
          .filter(({ treatment }) => treatment.endsWith(` ${state}`))
          .map(({ value }) => value),
      })),
  },
  'cipher-suites': {
    xLabel: 'msg/s, worst and best suite of TLS 1.2',
    rows: () => {
      const printed = findPublished({ study: 'cipher-suites', table: 'best-worst' });
      const groups = Map.groupBy(
        printed.filter(({ treatment }) => treatment.includes('TLS 1.2')),
        ({ treatment }) => treatment.split(' TLS ')[0] ?? '',
      );
      return [...groups].map(([label, entries]) => ({ label, published: entries.map(({ value }) => value) }));
    },
  },
  'stability-aware': {
    xLabel: 'mAh in 600 s, emitter',
    rows: () => single('stability-aware', 'summary', 'cumulative energy'),
  },
  hecs4mqtt: {
    xLabel: 'approximate entropy of the ciphertext, mean p',
    rows: () => single('hecs4mqtt', 'approximate-entropy', 'mean p'),
  },
};

/** Of a study without published figures: what it tells apart, drawn without a scale. */
const schematics: Readonly<Record<string, (palette: Palette) => Picture>> = { 'v2x-tls': drawPhases };

export function isSchematic(studyId: string): boolean {
  return studyId in schematics;
}

/** null for what is no study. */
export function sketchOf(studyId: string, palette: Palette): Picture | null {
  const sketch = sketches[studyId];
  return sketch ? draw(sketch, palette) : (schematics[studyId]?.(palette) ?? null);
}

const maxRows = 6;

/** The first metric of the first part that was measured where the study was saved; null where none was. */
export function sketchOfOwn({ parts }: StudyFile, palette: Palette): Picture | null {
  const [metric] = parts.flatMap(({ reference }) => reference?.metrics ?? []);
  if (!metric) return null;
  const rows = metric.values.slice(0, maxRows).map(({ label, mean }) => ({ label, published: [mean] }));
  return draw({ xLabel: `${metric.label}, ${metric.unit}`, rows: () => rows }, palette);
}

function draw(sketch: Sketch, palette: Palette): Picture {
  return drawBeside({
    palette,
    rows: sketch.rows().map((row) => ({ ...row, measured: [] })),
    xLabel: sketch.xLabel,
    isLog: sketch.isLog ?? false,
    width,
    label: `Published: ${sketch.xLabel}`,
    publishedOnly: true,
  });
}
