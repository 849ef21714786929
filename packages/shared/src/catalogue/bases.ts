import type { RunEvidence } from '../domain/runs/metric.ts';
import { latencyKind } from './evidence/latency-evidence.ts';

/** What the figures of a group of metrics rest on, by group: figures of different bases are never compared. */
export function basesOf(evidence: RunEvidence): Record<string, string> {
  const latency = latencyKind(evidence);
  const energy = [...new Set(evidence.results.flatMap(({ energy: own }) => own?.quality ?? []))];
  return {
    ...(latency === null ? {} : { latency }),
    ...(energy.length === 0 ? {} : { energy: energy.sort().join(' and ') }),
  };
}
