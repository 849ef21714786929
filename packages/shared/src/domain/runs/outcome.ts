/**
 * What a contrast lets one say. `resolved`: its interval leaves equality out, also after Holm. `exact`: nothing varies.
 * `leaning`: the interval leaves equality out, but not after Holm. `few`: too few runs for an interval.
 */
export const contrastOutcomes = [
  'resolved',
  'exact',
  'same',
  'leaning',
  'open',
  'few',
  'not measured',
  'not comparable',
] as const;

export type ContrastOutcome = (typeof contrastOutcomes)[number];
