import { failedIds, isFlaggedForId } from '../catalogue/flags.ts';
import { enoughFor } from '../catalogue/metrics/latency.ts';
import { findMetric, metrics } from '../catalogue/metrics.ts';
import { carriesMessages, dutyOf } from '../catalogue/workloads.ts';
import { deliveriesOf, isCoap } from '../domain/plans/trial-spec.ts';
import type { RunDetail } from '../domain/runs/run.ts';
import { formatCount, formatNumber, NO_VALUE } from '../format/number.ts';
import { formatQuantity, NBSP } from '../format/quantity.ts';
import { displayUnit } from '../format/unit.ts';
import { offeredBitsPerSecond } from '../planning/estimate.ts';

interface RunFigure {
  id: string;
  label: string;
  value: string;
  note: string;
  /** True if a failed verdict affects the metric, so that comparisons exclude the value. */
  isFlagged: boolean;
}

/** Maximum number of figures that fit side by side. */
const maxFigures = 7;

/** Returns the key figures of a run, each with the mean over the other valid runs of its treatment. */
export function makeRunFigures(run: RunDetail): RunFigure[] {
  const { spec } = run.treatment;
  if (spec.workload === 'availability') return availabilityFigures(run);
  if (!carriesMessages(spec.workload)) return connectionFigures(run);
  if (isCoap(spec)) return exchangeFigures(run);
  return [
    metricFigure(run, 'latency.p50', 'Latency, median'),
    quantileFigure(run, 'latency.p95', 95),
    quantileFigure(run, 'latency.p99', 99),
    messagesFigure(run),
    goodputFigure(run),
    metricFigure(run, 'cpu.publisher', 'CPU, publisher'),
    metricFigure(run, 'setUp.total', 'Connection set-up'),
    ...energyFigures(run, 'energyPerMessageNet.total'),
  ];
}

/**
 * Returns figures for a run under session abuse: whether a client could connect, how fast, and the cost for
 * the broker.
 */
function availabilityFigures(run: RunDetail): RunFigure[] {
  return [
    metricFigure(run, 'availability.reached', 'Attempts that got in'),
    metricFigure(run, 'availability.connect.p50', 'Connecting, median'),
    metricFigure(run, 'availability.outage', 'Longest outage'),
    metricFigure(run, 'availability.held', 'Held by the abuser'),
    metricFigure(run, 'availability.memoryGrowth', 'Broker memory growth'),
    metricFigure(run, 'cpu.broker', 'CPU, broker'),
  ];
}

/** Returns figures for a run over CoAP, which has requests and responses but no subscriber. */
function exchangeFigures(run: RunDetail): RunFigure[] {
  return [
    metricFigure(run, 'exchange.p50', 'Exchange, median'),
    quantileFigure(run, 'exchange.p95', 95),
    metricFigure(run, 'exchange.throughput', 'Payload over median'),
    messagesFigure(run),
    metricFigure(run, 'wire.retransmitted', 'Retransmissions'),
    metricFigure(run, 'wire.perMessage', 'Wire bytes per message'),
    metricFigure(run, 'cpu.publisher', 'CPU, publisher'),
  ];
}

/** Returns the energy figures with their quality and model; empty without an energy source. */
function energyFigures(run: RunDetail, id: string): RunFigure[] {
  if (typeof run.metrics[id] !== 'number') return [];
  const figure = metricFigure(run, id, findMetric(id)?.label ?? id);
  // A model takes the place of the other runs, because both together would need another line.
  const note = [run.bases?.energy, modelName(run) || figure.note].filter(Boolean).join(', ');
  return [{ ...figure, note }];
}

/** Returns the name of the energy model, such as "Raspberry Pi 4B"; empty if there is none or several. */
function modelName({ results }: RunDetail): string {
  const models = results.flatMap(({ energy }) => (energy?.quality === 'modelled' ? [energy.detail] : []));
  const names = new Set(models);
  return names.size === 1 ? [...names].join() : '';
}

/** Means over connections; the histogram next to them shows medians. */
const means = ['setUp.total', 'setUp.tcp', 'setUp.tls', 'setUp.connect'];

/**
 * Returns figures for workloads without messages: the bytes to each state, then every measured set-up metric.
 */
function connectionFigures(run: RunDetail): RunFigure[] {
  const measured = metrics.filter(({ id }) => typeof run.metrics[id] === 'number');
  const chosen = [
    ...measured.filter(({ id }) => /^state\.\w+\.frameBytes$/.test(id)),
    ...measured.filter(({ group }) => group === 'set-up'),
  ];
  const many = (run.metrics['count.connectionsOpened'] ?? 0) > 1 && run.treatment.spec.workload !== 'states';
  const figures = chosen
    .slice(0, maxFigures)
    .map(({ id, label }) => metricFigure(run, id, many && means.includes(id) ? `${label}, mean` : label));
  return [...figures, ...energyFigures(run, 'energyPerHandshake.total')];
}

function metricFigure(run: RunDetail, id: string, label: string): RunFigure {
  const value = run.metrics[id] ?? null;
  const unit = findMetric(id)?.unit ?? '';
  return {
    id,
    label,
    value: value === null ? NO_VALUE : formatQuantity(value, unit),
    note: siblingNote(run, id, unit),
    isFlagged: value !== null && isFlagged(run, id),
  };
}

function isFlagged({ flagged, verdicts }: RunDetail, metric: string): boolean {
  return isFlaggedForId({ flagged, failed: failedIds(verdicts) }, metric);
}

function quantileFigure(run: RunDetail, id: string, percent: number): RunFigure {
  const figure = metricFigure(run, id, `P${percent}`);
  const messages = run.metrics['count.received'] ?? null;
  if (run.metrics[id] !== null || messages === null || messages >= enoughFor(percent)) return figure;
  return { ...figure, note: `needs ${formatCount(enoughFor(percent))} messages` };
}

function messagesFigure(run: RunDetail): RunFigure {
  const sent = run.metrics['count.sent'] ?? null;
  const lost = run.metrics['count.lost'] ?? null;
  return {
    ...metricFigure(run, 'count.sent', 'Messages'),
    value: sent === null ? NO_VALUE : formatCount(sent),
    note: lost === null ? '' : `${formatCount(lost)} lost`,
  };
}

function goodputFigure(run: RunDetail): RunFigure {
  const figure = metricFigure(run, 'rate.goodput', 'Goodput');
  const got = run.metrics['rate.goodput'] ?? null;
  const planned = offeredBitsPerSecond(run.treatment);
  if (got === null || planned === null) return figure;
  // In bursts, messages are due only part of the time.
  const { spec } = run.treatment;
  // Goodput counts arrivals at each subscriber.
  const arrivals = isCoap(spec) ? 1 : deliveriesOf(spec);
  const share = got / (planned * arrivals * dutyOf(spec));
  // At the start and end of the measure phase, one message from each publisher may or may not be counted.
  const edge =
    (1000 * spec.readingsPerMessage) / ((spec.readingsPerSecond ?? 1) * spec.measureMs * dutyOf(spec));
  const isEqual = Math.abs(share - 1) < Math.max(0.0015, edge * 1.01);
  return { ...figure, note: isEqual ? 'as planned' : `${formatNumber(share * 100)}${NBSP}% of planned` };
}

/** Returns, for example, "6 runs 17.0", in the unit of the figure. */
function siblingNote(run: RunDetail, id: string, unit: string): string {
  const siblings = run.siblings[id];
  if (!siblings || siblings.runs === 0) return '';
  const { multiplier } = displayUnit(run.metrics[id] ?? siblings.mean, unit);
  const runs = siblings.runs === 1 ? '1 run' : `${formatCount(siblings.runs)} runs`;
  return `${runs} ${formatNumber(siblings.mean * multiplier)}`;
}
