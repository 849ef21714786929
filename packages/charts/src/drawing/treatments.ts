import type { Report, ReportTreatment } from '@mqttlab/shared/domain/report/report';
import type { Palette } from './palette.ts';

/** Name and style of a treatment in all charts. */
export interface TreatmentIdentity {
  /** Index stored with the level, which selects colour, dash and marker. 1 is the baseline. */
  index: number;
  /** Full name: "TLS 1.3 · AES-256-GCM · QoS 2". */
  label: string;
  /** The parts of the name that panel and column do not show: "TLS 1.3 · AES-256-GCM". */
  shortLabel: string;
  /** Treatment id, set in charts in which a click selects a treatment. */
  id?: string;
  /** True if the treatment is drawn pale because other treatments are selected. */
  isDimmed?: boolean;
}

/** Names, marks and colours for the figures of a report. */
export interface FigureContext {
  report: Report;
  palette: Palette;
  find(key: string): ReportTreatment;
  /** Returns the short name of a treatment. */
  name(key: string): string;
  /** "run 12" */
  runName(runId: number): string;
  /** Rows in plan order; a single row without a name if only the colour varies. */
  rows: string[];
  /** Colours with their mark, in plan order. */
  colours: { mark: number; text: string }[];
}

export const figureWidth = 720;

export function makeFigureContext(report: Report, palette: Palette): FigureContext {
  const byKey = new Map(report.treatments.map((treatment) => [treatment.key, treatment]));
  const colours = new Map(report.treatments.map(({ colourLabel, mark }) => [colourLabel, mark]));
  const find = (key: string): ReportTreatment => {
    const found = byKey.get(key) ?? report.treatments[0];
    if (!found) throw new RangeError('a report without treatments has no figures');
    return found;
  };
  return {
    report,
    palette,
    find,
    name: (key) => find(key).shortLabel,
    runName: (runId) => report.runNames[runId] ?? `run ${runId}`,
    rows: [...new Set(report.treatments.map(({ rowLabel }) => rowLabel))],
    colours: [...colours].map(([text, mark]) => ({ text, mark })),
  };
}

/** Places small multiples in one or several rows. */
export function layOut(
  count: number,
  { perRow, panelHeight, top }: { perRow: number; panelHeight: number; top: number },
): { left: number; right: number; top: number; isFirst: boolean; isLast: boolean }[] {
  const columns = Math.min(count, perRow);
  const gap = 22;
  const firstRoom = 46;
  const width = (figureWidth - firstRoom - gap * (columns - 1) - 8) / columns;
  return Array.from({ length: count }, (_, index) => {
    const column = index % columns;
    const left = firstRoom + column * (width + gap);
    return {
      left,
      right: left + width,
      top: top + Math.floor(index / columns) * panelHeight,
      isFirst: column === 0,
      isLast: index + columns >= count,
    };
  });
}
