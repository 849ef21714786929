import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type { WireBytes } from '../../mqtt/connection-source.ts';

export interface PhaseMeterOptions {
  /** Testbed clock, µs. */
  nowUs: () => number;
  /** Bytes on all connections since they were opened; null if they cannot be counted. */
  wireBytes: () => WireBytes | null;
  /** CPU time of the MQTT processes if they are separate from this process; null if it cannot be read. */
  cpuUs?: () => number | null;
  onPhase: (phase: Phase, durationUs: number | null) => void;
}

interface Mark {
  atUs: number;
  cpuUs: number | null;
}

/**
 * Divides the life of the connections into phases: time, CPU time of this process, bytes. A phase begins at
 * the same instant as the previous one ends, unless the previous phase was ended explicitly. The duration of
 * a repeated phase, for connections opened one after the other, is the mean over its connections. Bytes count
 * for the phase in which they were read or written. Bytes between two phases (such as TLS 1.3 session
 * tickets) count for the later phase, so that the phases add up to the complete connection.
 */
export class PhaseMeter {
  readonly #options: PhaseMeterOptions;
  readonly #records: PhaseRecord[] = [];
  #open: (Mark & { phase: Phase }) | null = null;
  #counted: WireBytes = { sent: 0, received: 0 };

  constructor(options: PhaseMeterOptions) {
    this.#options = options;
  }

  get records(): readonly PhaseRecord[] {
    return this.#records;
  }

  /** Ends the open phase, if any, and begins another. Returns the time on the testbed clock. */
  begin(phase: Phase, connections: number): number {
    const mark = this.#mark();
    this.#close(mark, { connections });
    this.#open = { phase, ...mark };
    this.#options.onPhase(phase, null);
    return mark.atUs;
  }

  /** Restarts the time of the open phase on the testbed clock; earlier time does not count. */
  beginAt(atUs: number): void {
    if (this.#open !== null) this.#open.atUs = atUs;
  }

  /**
   * Ends the open phase, if any. `durationUs` is the phase's duration if that is not the time since `begin`.
   * Returns the time on the testbed clock.
   */
  end(how: { connections: number; durationUs?: number }): number {
    const mark = this.#mark();
    this.#close(mark, how);
    return mark.atUs;
  }

  #close(mark: Mark, { connections, durationUs }: { connections: number; durationUs?: number }): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const bytes = this.#options.wireBytes();
    const record: PhaseRecord = {
      phase: open.phase,
      startUs: open.atUs,
      durationUs: durationUs ?? mark.atUs - open.atUs,
      cpuUs: mark.cpuUs === null || open.cpuUs === null ? null : mark.cpuUs - open.cpuUs,
      energyJ: null,
      bytesSent: bytes && bytes.sent - this.#counted.sent,
      bytesReceived: bytes && bytes.received - this.#counted.received,
      connections,
    };
    this.#counted = bytes ?? this.#counted;
    this.#keep(record);
    this.#options.onPhase(open.phase, record.durationUs);
  }

  #keep(record: PhaseRecord): void {
    const index = this.#records.findIndex(({ phase }) => phase === record.phase);
    const before = this.#records[index];
    if (before === undefined) this.#records.push(record);
    else this.#records[index] = joinRecords(before, record);
  }

  #mark(): Mark {
    return { atUs: this.#options.nowUs(), cpuUs: this.#readCpuUs() };
  }

  #readCpuUs(): number | null {
    if (this.#options.cpuUs !== undefined) return this.#options.cpuUs();
    const { user, system } = process.cpuUsage();
    return user + system;
  }
}

function joinRecords(before: PhaseRecord, record: PhaseRecord): PhaseRecord {
  const connections = before.connections + record.connections;
  const total = before.durationUs * before.connections + record.durationUs * record.connections;
  const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
  return {
    ...before,
    durationUs: total / Math.max(1, connections),
    cpuUs: sum(before.cpuUs, record.cpuUs),
    bytesSent: sum(before.bytesSent, record.bytesSent),
    bytesReceived: sum(before.bytesReceived, record.bytesReceived),
    connections,
  };
}
