/** A figure as it was published: reference data, never what our own measurements are expected to be. */
export interface PublishedValue {
  study: string;
  /** Table or figure of the study. */
  table: string;
  /** Configuration, as the study names it. */
  treatment: string;
  metric: string;
  unit: string;
  value: number;
  /** Where it stands and how it came about. */
  source: string;
}

/** Figures of one kind, by configuration. */
export interface PublishedGroup extends Omit<PublishedValue, 'treatment' | 'value'> {
  values: Readonly<Record<string, number>>;
}
