import type { Treatment } from '@mqttlab/shared/domain/plans/plan';

/** Whether what was run here is what the text says. */
export type Holds = (treatment: Pick<Treatment, 'levels' | 'spec'>) => boolean;

/** Something that a text says of its figures. */
export interface PublishedCondition {
  /** In our words. */
  text: string;
  /** What stands at that line of the full text. */
  printed: readonly string[];
  line: number;
  /** Absent where nothing that was run here could differ from it. */
  holds?: Holds;
}

/** One configuration, as the study names it. */
interface PublishedRow {
  /** Where its figures stand, unless a metric has a line of its own. */
  line?: number;
  /** Words of that line that name it. */
  printed?: readonly string[];
  /** Which of ours it is; absent where the section tells by the name. */
  holds?: Holds;
  /** Why none of its figures stands beside one of ours. */
  alone?: string;
}

/** Figures that stand at one place, by quantity and configuration. */
export interface PublishedTable {
  table: string;
  /** Table, figure or section of the text, and how its figures came about. */
  place: string;
  /** Whose figures they are. */
  role: string;
  conditions: readonly PublishedCondition[];
  rows: Readonly<Record<string, PublishedRow>>;
  metrics: Readonly<
    Record<
      string,
      {
        unit: string;
        line?: number;
        /** Our metric that its values are shown next to; absent if the section has it from elsewhere. */
        measuredBy?: string;
        /** Why it never stands beside one of ours: all of it, or by configuration. */
        alone?: string | Readonly<Record<string, string>>;
        conditions?: readonly PublishedCondition[];
        /** The text gives a bound: more than this. */
        isAbove?: true;
        values: Readonly<Record<string, number>>;
      }
    >
  >;
}

/** Some level of a factor. */
export function withLevel(id: string, ...levels: readonly (string | number)[]): Holds {
  return ({ levels: own }) => levels.some((level) => own[id] === level);
}

export function both(...all: readonly Holds[]): Holds {
  return (treatment) => all.every((holds) => holds(treatment));
}

export const overTls: Holds = withLevel('security', 'TLS 1.2', 'TLS 1.3');
