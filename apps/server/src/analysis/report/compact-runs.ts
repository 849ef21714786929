import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';

type Metrics = RunSummary['metrics'];

/**
 * Summaries of all runs of an experiment for analysis, in little memory: metrics are views of columns of
 * numbers, and runs share equal verdicts and bases. Verdicts that did not fail are without their evidence.
 */
export async function readCompactRuns(runs: AsyncIterable<RunSummary>): Promise<RunSummary[]> {
  const columns = new MetricColumns();
  const shared = new Map<string, unknown>();
  const share = <T>(value: T): T => {
    const key = JSON.stringify(value);
    const known = shared.get(key);
    if (known === undefined) shared.set(key, value);
    return (known ?? value) as T;
  };
  const compact: RunSummary[] = [];
  for await (const { metrics, verdicts, bases, ...run } of runs) {
    compact.push({
      ...run,
      treatmentKey: share(run.treatmentKey),
      tags: share(run.tags),
      verdicts: verdicts.some(({ status }) => status === 'failed')
        ? verdicts.map((verdict) => (verdict.status === 'failed' ? verdict : share(withoutEvidence(verdict))))
        : share(verdicts.map(withoutEvidence)),
      metrics: columns.add(metrics),
      ...(bases ? { bases: share(bases) } : {}),
    });
  }
  return compact;
}

function withoutEvidence(verdict: Verdict): Verdict {
  return { ...verdict, evidence: '' };
}

/** Values of all runs by metric. */
class MetricColumns {
  readonly #columns = new Map<string, number[]>();
  readonly #View = class {
    readonly row: number;
    constructor(row: number) {
      this.row = row;
    }
  };
  #rows = 0;

  /** A view of the values of one run: its properties can be read, but not listed. */
  add(metrics: Metrics): Metrics {
    const row = this.#rows;
    this.#rows += 1;
    for (const [metric, value] of Object.entries(metrics)) {
      const column = this.#columns.get(metric) ?? this.#addColumn(metric);
      while (column.length < row) column.push(Number.NaN);
      column.push(value ?? Number.NaN);
    }
    return new this.#View(row) as unknown as Metrics;
  }

  #addColumn(metric: string): number[] {
    const column: number[] = [];
    this.#columns.set(metric, column);
    Object.defineProperty(this.#View.prototype, metric, {
      get(this: { row: number }) {
        const value = column[this.row];
        return value === undefined || Number.isNaN(value) ? null : value;
      },
    });
    return column;
  }
}
