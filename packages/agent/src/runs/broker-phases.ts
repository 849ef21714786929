import type { ClockOffset, PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type { StartLoad } from '@mqttlab/shared/messages/agent';
import { type Clock, callAt } from '../pacing/clock.ts';
import type { CpuTime } from '../sampling/process-group.ts';

export interface BrokerPhasesOptions {
  clock: Clock;
  offset: ClockOffset;
  /** null where the broker's process is not known. */
  cpu: CpuTime | null;
  onPhase: (phase: Phase, durationUs: number | null) => void;
}

interface Mark {
  phase: Phase;
  /** This device's clock, µs. */
  atUs: number;
  cpuUs: number | null;
}

/** Follows the agreed instants of a Trial on the broker, and what CPU time it took between them. */
export class BrokerPhases {
  readonly #options: BrokerPhasesOptions;
  readonly #records: PhaseRecord[] = [];
  #open: Mark | null = null;
  #cancels: (() => void)[] = [];

  constructor(options: BrokerPhasesOptions) {
    this.#options = options;
  }

  start(at: StartLoad): void {
    const { clock, offset } = this.#options;
    const instants: [Phase, number][] = [
      ['warm-up', at.warmUpAtUs],
      ['measure', at.measureAtUs],
      ['drain', at.stopAtUs],
    ];
    this.#cancels = instants.map(([phase, dueUs]) =>
      callAt(clock, dueUs - offset.offsetUs, () => this.#enter(phase)),
    );
  }

  /** The load is over, which may be before its time: what the broker does from here on is no more measured. */
  drain(): void {
    if (this.#open?.phase !== 'measure') return;
    this.#cancelAll();
    this.#enter('drain');
  }

  /** Closes the phase that is under way; idempotent. */
  stop(): PhaseRecord[] {
    this.#cancelAll();
    this.#close();
    this.#options.cpu?.close();
    return this.#records;
  }

  #cancelAll(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #enter(phase: Phase): void {
    this.#close();
    this.#open = this.#mark(phase);
    this.#options.onPhase(phase, null);
  }

  #close(): void {
    const begun = this.#open;
    if (begun === null) return;
    const ended = this.#mark(begun.phase);
    this.#open = null;
    const durationUs = ended.atUs - begun.atUs;
    this.#records.push({
      phase: begun.phase,
      startUs: begun.atUs + this.#options.offset.offsetUs,
      durationUs,
      cpuUs: begun.cpuUs === null || ended.cpuUs === null ? null : Math.max(0, ended.cpuUs - begun.cpuUs),
      energyJ: null,
      // Bytes are counted on the clients' sockets; a broker does not tell its own.
      bytesSent: null,
      bytesReceived: null,
      connections: 0,
    });
    this.#options.onPhase(begun.phase, durationUs);
  }

  #mark(phase: Phase): Mark {
    const atUs = this.#options.clock.nowUs();
    try {
      return { phase, atUs, cpuUs: this.#options.cpu?.readUs() ?? null };
    } catch {
      return { phase, atUs, cpuUs: null };
    }
  }
}
