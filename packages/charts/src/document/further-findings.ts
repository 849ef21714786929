import type { ReportFinding, ReportResponse } from '@mqttlab/shared/domain/report/report';
import { isVariant } from './words.ts';

/** Smallest relative difference that the text mentions, at the interval bound that is closer to no effect. */
export const leastRelative = 0.01;
/** Smallest difference between shares that the text mentions, in percentage points. */
export const leastPoints = 0.1;
/** Maximum number of sentences. */
const maxFurther = 5;
/** Value used as the relative difference from a baseline of zero. */
const fromNothing = 1000;

/**
 * Returns one finding for each fact other than the response, the largest difference first. `others` is the
 * number of other metrics with resolved differences, which concern the same facts, are too small, or are too
 * many to list.
 */
export function furtherFindings(responses: readonly ReportResponse[]): {
  findings: ReportFinding[];
  others: number;
} {
  const [lead, ...rest] = responses;
  const resolved = rest.flatMap((response) => {
    const finding = response.findings.find(isAboutTreatments);
    return finding ? [{ response, finding, size: sizeOf(response) }] : [];
  });
  const statedFacts = new Set(lead ? [factOf(lead.metric)] : []);
  const findings = resolved
    .filter(({ response: { metric }, size }) => !isVariant(metric) && size >= leastRelative)
    .sort((a, b) => b.size - a.size)
    .filter(({ response: { metric } }) => {
      const fact = factOf(metric);
      if (statedFacts.has(fact)) return false;
      statedFacts.add(fact);
      return true;
    })
    .slice(0, maxFurther)
    .map(({ finding }) => finding);
  return { findings, others: resolved.length - findings.length };
}

function isAboutTreatments({ kind, text }: ReportFinding): boolean {
  return kind === 'resolved' && !text.startsWith('Effects on');
}

/**
 * Returns the largest relative difference that is certain: the nearer bound of a resolved contrast. Returns 0
 * if there is no such difference.
 */
function sizeOf({ contrasts, estimates, unit }: ReportResponse): number {
  const means = new Map(estimates.map(({ treatment, mean }) => [treatment, mean]));
  const sizes = contrasts.flatMap(({ outcome, scale, value, lo, hi, inUnits, baseline }) => {
    if ((outcome !== 'resolved' && outcome !== 'exact') || value === null) return [];
    if (unit === '%' && Math.abs(inUnits ?? 0) < leastPoints) return [];
    const ends = [lo ?? value, hi ?? value];
    if (scale === 'ratio') return Math.min(...ends.map((end) => Math.abs(Math.log(end))));
    const nearer = Math.min(...ends.map(Math.abs));
    const mean = Math.abs(means.get(baseline) ?? 0);
    return mean === 0 ? fromNothing : nearer / mean;
  });
  return Math.max(0, ...sizes);
}

/** Metrics that describe one fact, by the start of their id; some facts exist for each device. */
const facts: readonly { fact: string; ids: RegExp; isPerDevice?: true }[] = [
  { fact: 'latency', ids: /^latency\.p50$/ },
  { fact: 'latency of the slowest messages', ids: /^latency\.(p9|max)/ },
  { fact: 'exchange', ids: /^exchange\./ },
  { fact: 'bytes of the set-up', ids: /^(setUp\.bytes|wire\.perConnection|state\.(CON|certificates))/ },
  { fact: 'CPU of the set-up', ids: /^(setUp\.cpu|cpuPerConnection)/ },
  { fact: 'duration of the set-up', ids: /^(setUp|connection)\.|^rate\.connections$/ },
  { fact: 'message rate', ids: /^(rate\.(messages|readings|goodput)|publishers\.)/ },
  { fact: 'bytes per message', ids: /^(wire\.(perMessage|overhead)|state\.(PUB|packet\.PUBLISH))/ },
  { fact: 'encryption', ids: /^(encryption|decryption|rate\.encrypted|payload\.cpuShare)/ },
  { fact: 'payload size', ids: /^payload\.expansion/ },
  { fact: 'CPU', ids: /^(cpu|perf)/, isPerDevice: true },
  { fact: 'memory', ids: /^memory/, isPerDevice: true },
  { fact: 'energy', ids: /^(energy|power|current|charge|batteryLife)/, isPerDevice: true },
];
const devices = /\.(broker|publisher|subscriber|bridge|cloud-broker)(\.|$)/;

/**
 * Returns the fact that a metric describes, or the metric itself if no other metric describes the same fact.
 */
export function factOf(metric: string): string {
  const found = facts.find(({ ids }) => ids.test(metric));
  if (!found) return metric;
  const [, device = ''] = found.isPerDevice ? (devices.exec(metric) ?? []) : [];
  return [found.fact, device].filter(Boolean).join(' ');
}
