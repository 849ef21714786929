import type { Treatment } from '@mqttlab/shared/domain/plans/plan';

/** True if a treatment meets a stated condition. */
export type Holds = (treatment: Pick<Treatment, 'levels' | 'spec'>) => boolean;

/** A condition that the text states for its figures. */
export interface PublishedCondition {
  /** Our wording. */
  text: string;
  /** Words in that line of the full text. */
  printed: readonly string[];
  line: number;
  /** Absent if our runs cannot differ from it. */
  holds?: Holds;
}

/** A configuration, as the study names it. */
interface PublishedRow {
  /** Line of the configuration's figures, unless a metric has a separate line. */
  line?: number;
  /** Words in that line that name the configuration. */
  printed?: readonly string[];
  /** Matches our configuration; absent if the section matches by name. */
  holds?: Holds;
  /** Reason why the figures cannot be compared with ours. */
  alone?: string;
}

/** Figures from one place in the text, by quantity and configuration. */
export interface PublishedTable {
  table: string;
  /** Table, figure or section in the text, and the origin of its figures. */
  place: string;
  /** Role that the figures belong to. */
  role: string;
  conditions: readonly PublishedCondition[];
  rows: Readonly<Record<string, PublishedRow>>;
  metrics: Readonly<
    Record<
      string,
      {
        unit: string;
        line?: number;
        /** Our metric shown next to its values; absent if the section specifies it. */
        measuredBy?: string;
        /** Reason why the values cannot be compared with ours: for all values, or by configuration. */
        alone?: string | Readonly<Record<string, string>>;
        conditions?: readonly PublishedCondition[];
        /** True if the text states a lower bound. */
        isAbove?: true;
        values: Readonly<Record<string, number>>;
      }
    >
  >;
}

/** True for any of these levels of a factor. */
export function withLevel(id: string, ...levels: readonly (string | number)[]): Holds {
  return ({ levels: own }) => levels.some((level) => own[id] === level);
}

export function both(...all: readonly Holds[]): Holds {
  return (treatment) => all.every((holds) => holds(treatment));
}

export const overTls: Holds = withLevel('security', 'TLS 1.2', 'TLS 1.3');
