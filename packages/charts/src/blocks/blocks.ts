import type { Measure, Select } from '@mqttlab/shared/analysis/claims/claim';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Palette } from '../drawing/palette.ts';
import type { Picture } from '../drawing/svg.ts';
import type { DocumentTable } from '../table.ts';

/** The data of blocks. */
export interface BlockInput {
  treatments: readonly ComparedTreatment[];
  /** Includes runs with a failed verdict. */
  flagged: boolean;
  report: Report | null;
  palette: Palette;
  /** The published value next to a treatment, of a metric and a configuration as printed; null if there is none. */
  printed?: (one: ComparedTreatment, metric: string, treatment?: string) => number | null;
}

/** A response as a column, a bar or a marker. */
export interface Quantity {
  head: string;
  measure: Measure;
  unit: string;
  scale?: number;
  format?: (value: number) => string;
  /** Over the runs of a configuration; absent for their mean. */
  over?: 'least' | 'most' | 'sum';
  /** Metric of a published table that is shown next to it. */
  published?: string;
}

interface Titled {
  title: string;
  caption?: string;
}

interface Tabular extends Titled {
  /** Collapsed on screen, expanded in print. */
  isDetail?: true;
}

/** Factors used to name configurations, if they vary. */
interface Named {
  names: readonly string[];
  where?: Select;
}

/** A part of a page, as data: the page, the print and a shared link show the same. */
export type PageBlock<Input extends BlockInput = BlockInput> =
  | { kind: 'text'; text: string | ((input: Input) => string) }
  | ({ kind: 'table'; quantities: readonly Quantity[] } & Tabular & Named)
  /** One line per quantity and configuration: published next to measured, and both over the baseline. */
  | ({
      kind: 'responses';
      quantities: (input: Input) => readonly Quantity[];
      baseline?: Select;
      nameOf?: (one: ComparedTreatment) => string;
      missing?: string;
    } & Titled &
      Named)
  /** A table with other columns than levels and quantities; null is a gap. */
  | ({ kind: 'rows'; rows: (input: Input) => DocumentTable | null; missing?: string } & Tabular)
  /** One line for each configuration, measured next to published. */
  | ({
      kind: 'dots';
      /** Several quantities are groups of one figure. */
      quantities: readonly (Quantity & { distinct?: readonly string[]; publishedAs?: string })[];
      groups?: readonly string[];
      /** A figure for each level of these factors, on one scale. */
      panels?: readonly string[];
      order?: 'ascending' | 'descending';
      isLog?: boolean;
      bars?: boolean;
    } & Titled &
      Named)
  /** Grouped bars, a panel for each quantity. */
  | ({ kind: 'bars'; quantities: readonly Quantity[]; colours: readonly string[] } & Titled & Named)
  | ({
      kind: 'boxes';
      of: 'latency' | 'exchange';
      extremes?: boolean;
      nameOf?: (one: ComparedTreatment) => string;
    } & Titled &
      Named)
  /** A least-squares line over a numeric factor, and where it reaches a limit. */
  | ({
      kind: 'fit';
      x: string;
      quantity: Quantity;
      /** Published metrics of the line, and the limit that it reaches there. */
      published?: { slope: string; intercept: string; crossing: string; limit: number };
      limit: { head: string; of: (input: Input, one: ComparedTreatment) => number | null };
    } & Titled &
      Named)
  /** A stored series over time. */
  | ({ kind: 'lines'; role: string; metric: string; xLabel: string } & Titled)
  /** Phases of a connection end to end. */
  | ({ kind: 'phases'; of: 'ms' | 'cpuMs' | 'bytes' | 'energyJ'; unit: string; scale?: number } & Titled &
      Named)
  /** A chart of the report's data; null is a gap. */
  | ({
      kind: 'chart';
      draw: (input: Input) => { picture: Picture | null; table: DocumentTable } | null;
      missing?: string;
    } & Titled);
