import type {
  Counters,
  HistogramName,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import type { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { Connection } from '../../mqtt/connection.ts';
import type { Transport } from '../../mqtt/transport.ts';
import { toLoadFailure } from '../../processes/failures.ts';
import type { MicrosecondClock } from '../pacing/clock.ts';
import { makeDurations, toHistogramsJson } from './histograms.ts';

/** Durations of one connection in µs; the tls phase is null without TLS. */
export interface OpeningTimes {
  tcpUs: number;
  tlsUs: number | null;
  connectUs: number;
  setUpUs: number;
}

/**
 * Opens a connection, from SYN to CONNACK, and measures each phase. Calls `onFailure` if its session differs
 * from the trial. Rejects with Failure.
 */
export async function openTimed(
  connection: Connection,
  { clock, onFailure }: { clock: MicrosecondClock; onFailure?: (failure: RoleFailure) => void },
): Promise<OpeningTimes> {
  const calledUs = clock.nowUs();
  await connection.openTcp();
  const beganUs = connection.attemptedUs ?? calledUs;
  const tcpUs = clock.nowUs();
  const { encrypted } = connection;
  if (encrypted) await connection.openTls();
  const tlsUs = encrypted ? clock.nowUs() : tcpUs;
  await connection.openMqtt();
  const endedUs = clock.nowUs();
  const mismatch = connection.findSessionMismatch();
  if (mismatch !== null) onFailure?.(mismatch);
  return {
    tcpUs: tcpUs - beganUs,
    tlsUs: encrypted ? tlsUs - tcpUs : null,
    connectUs: endedUs - tlsUs,
    setUpUs: endedUs - beganUs,
  };
}

type PhaseName = Extract<HistogramName, `phase.${string}`>;

/** Distributions of the phases over many connections, and the number of connections. */
export class ConnectionMeter {
  readonly #histograms = new Map<PhaseName, LatencyHistogram>();
  #opened = 0;
  #failed = 0;
  #firstFailure: string | null = null;
  readonly #bytes = { sent: 0, received: 0 };

  get opened(): number {
    return this.#opened;
  }

  get failed(): number {
    return this.#failed;
  }

  add({ tcpUs, tlsUs, connectUs, setUpUs }: OpeningTimes): void {
    this.#opened += 1;
    this.#record('phase.tcp', tcpUs);
    if (tlsUs !== null) this.#record('phase.tls', tlsUs);
    this.#record('phase.connect', connectUs);
    this.#record('phase.set-up', setUpUs);
  }

  /** Adds the bytes of an added connection after it is closed, counted below TLS. */
  addBytes({ bytesSent, bytesReceived }: Pick<Transport, 'bytesSent' | 'bytesReceived'>): void {
    this.#bytes.sent += bytesSent;
    this.#bytes.received += bytesReceived;
  }

  /** Returns the mean of each phase so far in ms, by metric. */
  soFar(): Record<string, number> {
    return Object.fromEntries(
      [...this.#histograms].flatMap(([name, { meanUs }]) =>
        meanUs === null || name === 'phase.set-up' ? [] : [[name.replace('phase', 'setUp'), meanUs / 1000]],
      ),
    );
  }

  counters(): Pick<
    Counters,
    'connectionsOpened' | 'connectionsFailed' | 'connectionBytesSent' | 'connectionBytesReceived'
  > {
    return {
      connectionsOpened: this.#opened,
      connectionsFailed: this.#failed,
      connectionBytesSent: this.#bytes.sent,
      connectionBytesReceived: this.#bytes.received,
    };
  }

  fail(error: unknown): void {
    this.#failed += 1;
    this.#firstFailure ??= toLoadFailure(error).message;
  }

  histograms(): RoleResult['histograms'] {
    return toHistogramsJson(Object.fromEntries(this.#histograms));
  }

  degraded(): RoleResult['degraded'] {
    if (this.#firstFailure === null) return [];
    const reason = `${this.#failed} of ${this.#failed + this.#opened} connections failed; reason of the first failure: ${this.#firstFailure}`;
    return [{ collector: 'connections', reason }];
  }

  #record(name: PhaseName, us: number): void {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      histogram = makeDurations();
      this.#histograms.set(name, histogram);
    }
    histogram.record(us);
  }
}
