import type { Measure, Select } from '@mqttlab/shared/analysis/claims/claim';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { Palette } from '../drawing/palette.ts';
import type { Picture } from '../drawing/svg.ts';
import type { DocumentTable } from '../table.ts';

/** The data that blocks show. */
export interface BlockInput {
  treatments: readonly ComparedTreatment[];
  /** Whether runs with a failed verdict are included. */
  flagged: boolean;
  report: Report | null;
  palette: Palette;
  /**
   * Returns the value that a publication prints for a metric and a configuration, for display next to a
   * treatment; null if there is none.
   */
  printed?: (one: ComparedTreatment, metric: string, treatment?: string) => number | null;
}

/** A response as a column, a bar or a marker. */
export interface Quantity {
  head: string;
  measure: Measure;
  unit: string;
  scale?: number;
  format?: (value: number) => string;
  /** How the runs of a configuration are combined; absent for their mean. */
  over?: 'least' | 'most' | 'sum';
  /** Metric in a published table whose value is shown next to this quantity. */
  published?: string;
}

interface Titled {
  title: string;
  caption?: string;
}

interface Tabular extends Titled {
  /** True if the table is collapsed on screen and expanded in print. */
  isDetail?: true;
}

/** Factors used to name configurations, if they vary. */
interface Named {
  names: readonly string[];
  where?: Select;
}

/** A part of a page as data, so that the page, its print and shared links show the same content. */
export type PageBlock<Input extends BlockInput = BlockInput> =
  | { kind: 'text'; text: string | ((input: Input) => string) }
  | ({ kind: 'table'; quantities: readonly Quantity[] } & Tabular & Named)
  /**
   * One line per quantity and configuration, with published and measured values, and both relative to the
   * baseline.
   */
  | ({
      kind: 'responses';
      quantities: (input: Input) => readonly Quantity[];
      baseline?: Select;
      nameOf?: (one: ComparedTreatment) => string;
      missing?: string;
    } & Titled &
      Named)
  /** A table with columns other than levels and quantities; null leaves a gap. */
  | ({ kind: 'rows'; rows: (input: Input) => DocumentTable | null; missing?: string } & Tabular)
  /** One line for each configuration, with measured next to published values. */
  | ({
      kind: 'dots';
      /** Several quantities become groups in one figure. */
      quantities: readonly (Quantity & { distinct?: readonly string[]; publishedAs?: string })[];
      groups?: readonly string[];
      /** Factors for whose levels separate figures are drawn, on one scale. */
      panels?: readonly string[];
      order?: 'ascending' | 'descending';
      isLog?: boolean;
      bars?: boolean;
    } & Titled &
      Named)
  /** Grouped bars, with a panel for each quantity. */
  | ({ kind: 'bars'; quantities: readonly Quantity[]; colours: readonly string[] } & Titled & Named)
  | ({
      kind: 'boxes';
      of: 'latency' | 'exchange';
      extremes?: boolean;
      nameOf?: (one: ComparedTreatment) => string;
    } & Titled &
      Named)
  /** A least-squares line over a numeric factor, and the point where it reaches a limit. */
  | ({
      kind: 'fit';
      x: string;
      quantity: Quantity;
      /** Published metrics of the line, and the limit used in the publication. */
      published?: { slope: string; intercept: string; crossing: string; limit: number };
      limit: { head: string; of: (input: Input, one: ComparedTreatment) => number | null };
    } & Titled &
      Named)
  /** A stored series over time. */
  | ({ kind: 'lines'; role: string; metric: string; xLabel: string } & Titled)
  /** Phases of a connection, drawn end to end. */
  | ({ kind: 'phases'; of: 'ms' | 'cpuMs' | 'bytes' | 'energyJ'; unit: string; scale?: number } & Titled &
      Named)
  /** A chart of the report's data; null leaves a gap. */
  | ({
      kind: 'chart';
      draw: (input: Input) => { picture: Picture | null; table: DocumentTable } | null;
      missing?: string;
    } & Titled);
