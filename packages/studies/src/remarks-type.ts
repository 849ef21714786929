/** What stands on a study’s page beside its figures, as sentences. Lines are those of the full text as it is held. */
export interface Remarks {
  /** What the text leaves open, or where it contradicts itself. */
  unsaid: readonly string[];
  /** What was done otherwise here, and why. */
  different: readonly string[];
}
