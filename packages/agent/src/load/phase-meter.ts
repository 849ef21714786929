import type { Phase } from '@mqttlab/shared/domain/phase';
import type { PhaseRecord } from '@mqttlab/shared/domain/role-result';

export interface WireBytes {
  sent: number;
  received: number;
}

export interface PhaseMeterOptions {
  /** Testbed clock, µs. */
  nowUs: () => number;
  /** Of all connections since they were opened; null where they cannot be counted. */
  wireBytes: () => WireBytes | null;
  /** Of the MQTT processes, where they are others than this one; null when it cannot be read. */
  cpuUs?: () => number | null;
  onPhase: (phase: Phase, durationUs: number | null) => void;
}

/**
 * Cuts the life of the connections into phases: time, CPU time of this process, bytes.
 * Bytes belong to the phase in which they were read or written; what comes between two phases
 * (TLS 1.3 session tickets, say) belongs to the later one, so the phases add up to the whole connection.
 */
export class PhaseMeter {
  readonly #options: PhaseMeterOptions;
  readonly #records: PhaseRecord[] = [];
  #open: { phase: Phase; startUs: number; cpuUs: number | null } | null = null;
  #counted: WireBytes = { sent: 0, received: 0 };

  constructor(options: PhaseMeterOptions) {
    this.#options = options;
  }

  get records(): readonly PhaseRecord[] {
    return this.#records;
  }

  /** Ends the phase that is open, if any, and opens another. */
  begin(phase: Phase, connections: number): void {
    this.end({ connections });
    this.#open = { phase, startUs: this.#options.nowUs(), cpuUs: this.#readCpuUs() };
    this.#options.onPhase(phase, null);
  }

  /** `durationUs` where it is not the time since `begin`. Nothing happens when no phase is open. */
  end({ connections, durationUs }: { connections: number; durationUs?: number }): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const cpuUs = this.#readCpuUs();
    const bytes = this.#options.wireBytes();
    const record: PhaseRecord = {
      phase: open.phase,
      startUs: open.startUs,
      durationUs: durationUs ?? this.#options.nowUs() - open.startUs,
      cpuUs: cpuUs === null || open.cpuUs === null ? null : cpuUs - open.cpuUs,
      energyJ: null,
      bytesSent: bytes && bytes.sent - this.#counted.sent,
      bytesReceived: bytes && bytes.received - this.#counted.received,
      connections,
    };
    this.#counted = bytes ?? this.#counted;
    this.#records.push(record);
    this.#options.onPhase(open.phase, record.durationUs);
  }

  #readCpuUs(): number | null {
    if (this.#options.cpuUs !== undefined) return this.#options.cpuUs();
    const { user, system } = process.cpuUsage();
    return user + system;
  }
}
