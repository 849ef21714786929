import type { SqlExperimentStore } from '../store/experiments/experiment-store.ts';
import type { SqlRunStore } from '../store/runs/run-store.ts';

/** What analysis reads from and writes to. */
export interface AnalysisStores {
  experiments: SqlExperimentStore;
  runs: SqlRunStore;
}
