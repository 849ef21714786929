import type { SqlExperimentStore } from '../store/experiment-store.ts';
import type { SqlRunStore } from '../store/run-store.ts';

/** What analysis reads from and writes to. */
export interface AnalysisStores {
  experiments: SqlExperimentStore;
  runs: SqlRunStore;
}
