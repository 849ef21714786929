import { failedIds, isFlaggedFor } from '@mqttlab/shared/catalogue/flags';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { MetricDefinition } from '@mqttlab/shared/domain/runs/verdict';
import { Gauge, type Registry } from 'prom-client';
import type { Stores } from '../store/stores.ts';
import { isUnreadableRow } from '../store/table.ts';

/** Maximum number of experiments that are read for each scrape, newest first. */
export const maxExperiments = 10;
/** Maximum number of treatments with series. */
export const maxTreatments = 100;

interface ResultGauge {
  name: string;
  help: string;
  /** Additional label. */
  label?: 'quantile' | 'role';
  /** Ids of metrics, each with its label value; '' without a label. */
  metrics: readonly (readonly [id: string, label: string])[];
}

/** Divisor that converts the metric's unit to a base unit of OpenMetrics. */
const divisors: Readonly<Record<string, number>> = {
  ms: 1000,
  '%': 100,
  B: 1,
  'bit/s': 8,
  'msg/s': 1,
  messages: 1,
};

/** Result values that /metrics reports. */
export const resultGauges: readonly ResultGauge[] = [
  {
    name: 'mqttlab_treatment_latency_seconds',
    help: 'Latency of messages.',
    label: 'quantile',
    metrics: [
      ['latency.p50', '0.5'],
      ['latency.p95', '0.95'],
      ['latency.p99', '0.99'],
    ],
  },
  {
    name: 'mqttlab_treatment_setup_seconds',
    help: 'Time to open a connection: TCP, TLS and MQTT CONNECT.',
    metrics: [['setUp.total', '']],
  },
  {
    name: 'mqttlab_treatment_tls_handshake_seconds',
    help: 'Time of the TLS handshake.',
    metrics: [['setUp.tls', '']],
  },
  {
    name: 'mqttlab_treatment_messages_per_second',
    help: 'Rate of received messages.',
    metrics: [['rate.messages', '']],
  },
  {
    name: 'mqttlab_treatment_goodput_bytes_per_second',
    help: 'Rate of received payload.',
    metrics: [['rate.goodput', '']],
  },
  {
    name: 'mqttlab_treatment_message_wire_bytes',
    help: 'Bytes on the wire per message.',
    metrics: [['wire.perMessage', '']],
  },
  {
    name: 'mqttlab_treatment_lost_messages',
    help: 'Messages that did not arrive.',
    metrics: [['count.lost', '']],
  },
  {
    name: 'mqttlab_treatment_cpu_ratio',
    help: 'CPU time of the MQTT process divided by the duration; 1 is one core.',
    label: 'role',
    metrics: [
      ['cpu.broker', 'broker'],
      ['cpu.publisher', 'publisher'],
      ['cpu.subscriber', 'subscriber'],
    ],
  },
];

const treatmentLabels = ['experiment', 'testbed', 'treatment'] as const;
const metricIds = resultGauges.flatMap(({ metrics }) => metrics.map(([id]) => id));

interface LatestRun {
  treatment: string;
  finishedAt: number | null;
  flagged: boolean;
  /** Values in base units, by metric, without values that a failed verdict affects. */
  values: ReadonlyMap<string, number>;
}

/** Adds the last run of each treatment to a registry as gauges. */
export class ResultGauges {
  readonly #stores: Pick<Stores, 'experiments' | 'runs'>;
  /** Read again only if the experiment's revision has changed. */
  readonly #known = new Map<number, { revision: number; runs: readonly LatestRun[] }>();
  readonly #values: readonly { gauge: Gauge; definition: ResultGauge }[];
  readonly #finished: Gauge;
  readonly #flagged: Gauge;

  constructor(stores: Pick<Stores, 'experiments' | 'runs'>, registry: Registry) {
    this.#stores = stores;
    const registers = [registry];
    this.#values = resultGauges.map((definition) => {
      const { name, help, label } = definition;
      const labelNames = [...treatmentLabels, ...(label ? [label] : [])];
      return { definition, gauge: new Gauge({ name, help: `${help} ${ofLastRun}`, labelNames, registers }) };
    });
    this.#finished = new Gauge({
      name: 'mqttlab_treatment_last_run_timestamp_seconds',
      help: 'End of the last run of a treatment, Unix time.',
      labelNames: treatmentLabels,
      registers,
    });
    this.#flagged = new Gauge({
      name: 'mqttlab_treatment_last_run_flagged',
      help: '1 if a check of the last run of a treatment failed.',
      labelNames: treatmentLabels,
      registers,
    });
  }

  /** Sets every gauge from the latest runs in the database. Throws StorageError. */
  update(): void {
    for (const { gauge } of this.#values) gauge.reset();
    this.#finished.reset();
    this.#flagged.reset();
    const started = this.#stores.experiments.listNewestStarted(maxExperiments);
    for (const id of this.#known.keys()) {
      if (!started.some((experiment) => experiment.id === id)) this.#known.delete(id);
    }
    const shown = new Set<string>();
    for (const { id, name: experiment, testbedId: testbed, revision } of started) {
      for (const run of this.#latestRuns(id, revision)) {
        const labels = { experiment, testbed, treatment: run.treatment };
        const key = JSON.stringify(labels);
        // The newest experiment with a name replaces earlier experiments with that name.
        if (shown.has(key) || shown.size === maxTreatments) continue;
        shown.add(key);
        this.#show(labels, run);
      }
    }
  }

  #show(labels: Record<(typeof treatmentLabels)[number], string>, run: LatestRun): void {
    for (const { gauge, definition } of this.#values) {
      for (const [id, value] of definition.metrics) {
        const found = run.values.get(id);
        if (found === undefined) continue;
        gauge.set(definition.label ? { ...labels, [definition.label]: value } : labels, found);
      }
    }
    this.#flagged.set(labels, run.flagged ? 1 : 0);
    if (run.finishedAt !== null) this.#finished.set(labels, run.finishedAt / 1000);
  }

  #latestRuns(id: number, revision: number): readonly LatestRun[] {
    const known = this.#known.get(id);
    if (known?.revision === revision) return known.runs;
    const rows = this.#stores.runs.listLatestRuns(id, metricIds);
    const labels = rows.length === 0 ? new Map<string, string>() : this.#labelsOf(id);
    const found = rows.map(({ treatmentKey, finishedAt, flagged, verdicts, metrics }) => {
      const judged = { flagged, failed: failedIds(verdicts) };
      const values = metricIds.flatMap((metric) => {
        const definition = findMetric(metric);
        const value = metrics[metric] ?? null;
        if (!definition || value === null || isFlaggedFor(judged, definition)) return [];
        return [[metric, toBaseUnit(definition, value)] as const];
      });
      return {
        treatment: labels.get(treatmentKey) ?? treatmentKey,
        finishedAt,
        flagged,
        values: new Map(values),
      };
    });
    this.#known.set(id, { revision, runs: found });
    return found;
  }

  /** Returns labels by treatment key. Empty if the plan cannot be read; the keys are then shown. */
  #labelsOf(id: number): ReadonlyMap<string, string> {
    try {
      const treatments = this.#stores.experiments.findExperiment(id)?.plan?.treatments ?? [];
      return new Map(treatments.map(({ key, label }) => [key, label]));
    } catch (error) {
      if (!isUnreadableRow(error)) throw error;
      return new Map();
    }
  }
}

const ofLastRun =
  'Value in the last run of a treatment; absent if the run has no value or a failed check affects it.';

/** Converts a value to the unit of its gauge. Throws RangeError if the unit has no base unit. */
export function toBaseUnit({ id, unit }: Pick<MetricDefinition, 'id' | 'unit'>, value: number): number {
  const divisor = divisors[unit];
  if (divisor === undefined) throw new RangeError(`${id} has the unit ${unit}, which has no base unit`);
  return value / divisor;
}
