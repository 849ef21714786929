import type { CapturedRun } from '../../catalogue/evidence/capture-evidence.ts';
import { HistogramPool } from '../../catalogue/evidence/merge-results.ts';
import type { RadioResult } from '../../catalogue/evidence/radio-evidence.ts';
import type { ReportPhases } from '../../domain/report/report.ts';
import type { HistogramJson, PhaseRecord, RunEnergy } from '../../domain/runs/role-result.ts';
import { phases, setUpPhases } from '../../domain/runs/statuses.ts';
import { RunningMean } from '../../statistics/descriptive/summary.ts';

/** Reports from the devices of one run, except metrics and series. */
export interface ReportRunData {
  runId: number;
  /** One entry per subscriber device. */
  latency: readonly HistogramJson[];
  /** Phases reported by the publisher. */
  phases: readonly PhaseRecord[];
  /** Phases of each role, merged over its devices. */
  rolePhases?: readonly { role: string; phases: readonly PhaseRecord[] }[];
  /** Roles on one machine report the same energy. */
  energy: readonly { role: string; energy: RunEnergy; machine?: string }[];
  /** Devices whose traffic used WiFi. */
  radio?: readonly RadioResult[];
  /** Devices that captured packets. */
  captured?: readonly Omit<CapturedRun, 'treatmentKey'>[];
}

/**
 * Duration and energy of the connection set-up. Has no energy if no connection was set up or a phase did not
 * measure it.
 */
export interface SetUp {
  seconds: number;
  joules: number | null;
}

/** Data from a single run that is still needed after the runs have been added up. */
export interface RunRemains {
  energy: ReportRunData['energy'];
  /** Reported by the publisher. */
  setUp: SetUp;
  roleSetUps: readonly (SetUp & { role: string })[];
  /** Start of the publisher's first connection, in ms relative to the start of the measure phase; null if unknown. */
  connectedAtMs: number | null;
}

/** Treatments, by run id, of the runs whose flags do not affect a part of the report. */
interface Membership {
  latency: ReadonlyMap<number, string>;
  phases: ReadonlyMap<number, string>;
  captured: ReadonlyMap<number, string>;
}

/** Sums of the device reports by treatment, updated while the reports are read one by one. */
export class RunParts {
  readonly #treatments: Membership;
  readonly #latency = new Map<string, HistogramPool>();
  readonly #phases = new Map<string, PhaseMeans>();
  readonly #rolePhases = new Map<string, Map<string, PhaseMeans>>();
  readonly #runs = new Map<number, RunRemains>();
  readonly radio: RadioResult[] = [];
  /** Captures of the first run of each treatment with captured packets and valid byte metrics. */
  readonly captured: CapturedRun[] = [];

  constructor(treatments: Membership) {
    this.#treatments = treatments;
  }

  add({
    runId,
    latency,
    phases: own,
    rolePhases = [],
    energy,
    radio = [],
    captured = [],
  }: ReportRunData): void {
    this.#runs.set(runId, {
      energy,
      setUp: setUpOf(own),
      roleSetUps: rolePhases.map((one) => ({ role: one.role, ...setUpOf(one.phases) })),
      connectedAtMs: connectedAtMs(own),
    });
    this.radio.push(...radio);
    const seen = this.#treatments.captured.get(runId);
    if (seen !== undefined && !this.captured.some(({ treatmentKey }) => treatmentKey === seen)) {
      this.captured.push(...captured.map((one) => ({ ...one, treatmentKey: seen })));
    }
    const timed = this.#treatments.latency.get(runId);
    if (timed !== undefined) {
      const pool = entryOf(this.#latency, timed, () => new HistogramPool());
      for (const histogram of latency) pool.add(histogram);
    }
    for (const { role } of rolePhases) entryOf(this.#rolePhases, role, () => new Map());
    const setUp = this.#treatments.phases.get(runId);
    if (setUp === undefined) return;
    entryOf(this.#phases, setUp, () => new PhaseMeans()).add(own);
    for (const { role, phases: records } of rolePhases) {
      const byTreatment = entryOf(this.#rolePhases, role, () => new Map<string, PhaseMeans>());
      entryOf(byTreatment, setUp, () => new PhaseMeans()).add(records);
    }
  }

  of(runId: number): RunRemains | undefined {
    return this.#runs.get(runId);
  }

  /** Returns the merged histogram of a treatment; null without a value. */
  latency(treatment: string): HistogramJson | null {
    return this.#latency.get(treatment)?.merged() ?? null;
  }

  /** Returns the entries in the order of the reports. */
  get roles(): string[] {
    return [...this.#rolePhases.keys()];
  }

  /** Returns the mean phases of a role over a treatment's runs; the role is the publisher by default. */
  phases(treatment: string, role?: string): ReportPhases['phases'] | null {
    const all = role === undefined ? this.#phases : this.#rolePhases.get(role);
    return all?.get(treatment)?.list() ?? null;
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function setUpOf(records: readonly PhaseRecord[]): SetUp {
  const setUp = records.filter(({ phase }) => setUpPhases.includes(phase));
  const isKnown = setUp.length > 0 && setUp.every(({ energyJ }) => energyJ !== null);
  return {
    seconds: setUp.reduce((total, { durationUs }) => total + durationUs / 1e6, 0),
    joules: isKnown ? setUp.reduce((total, { energyJ }) => total + (energyJ ?? 0), 0) : null,
  };
}

function connectedAtMs(records: readonly PhaseRecord[]): number | null {
  const start = (...names: string[]) => records.find(({ phase }) => names.includes(phase))?.startUs ?? null;
  const [connection, measuring] = [start('tcp', 'tls', 'connect'), start('measure')];
  return connection === null || measuring === null ? null : (connection - measuring) / 1000;
}

/** Mean of each phase over the runs. */
class PhaseMeans {
  readonly #means = new Map<string, Record<'ms' | 'cpuMs' | 'bytes' | 'energyJ', RunningMean>>();

  add(records: readonly PhaseRecord[]): void {
    for (const { phase, durationUs, cpuUs, bytesSent, bytesReceived, energyJ } of records) {
      const means = entryOf(this.#means, phase, () => ({
        ms: new RunningMean(),
        cpuMs: new RunningMean(),
        bytes: new RunningMean(),
        energyJ: new RunningMean(),
      }));
      means.ms.add(durationUs / 1000);
      if (cpuUs !== null) means.cpuMs.add(cpuUs / 1000);
      if (bytesSent !== null && bytesReceived !== null) means.bytes.add(bytesSent + bytesReceived);
      if (energyJ !== null) means.energyJ.add(energyJ);
    }
  }

  /** Returns the phases in the order of a run; null if none are recorded. */
  list(): ReportPhases['phases'] | null {
    if (this.#means.size === 0) return null;
    return phases.flatMap((phase) => {
      const means = this.#means.get(phase);
      const ms = means?.ms.value ?? null;
      if (!means || ms === null) return [];
      const { cpuMs, bytes, energyJ } = means;
      return [{ phase, ms, cpuMs: cpuMs.value, bytes: bytes.value, energyJ: energyJ.value }];
    });
  }
}
