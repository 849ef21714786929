import type { Counters, HistogramName, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';
import type { Connection } from '../../mqtt/connection.ts';
import type { MicrosecondClock } from '../../pacing/monotonic.ts';
import { toHistogramJson } from './histogram-json.ts';

/** What one connection took, µs; the phase tls is null when plain. */
export interface OpeningTimes {
  tcpUs: number;
  tlsUs: number | null;
  connectUs: number;
  setUpUs: number;
}

/** Opens a connection from SYN to CONNACK and says what each phase took. Rejects with RunFailure. */
export async function openTimed(
  connection: Connection,
  { clock, encrypted }: { clock: MicrosecondClock; encrypted: boolean },
): Promise<OpeningTimes> {
  const calledUs = clock.nowUs();
  await connection.openTcp();
  const beganUs = connection.attemptedUs ?? calledUs;
  const tcpUs = clock.nowUs();
  if (encrypted) await connection.openTls();
  const tlsUs = encrypted ? clock.nowUs() : tcpUs;
  await connection.openMqtt();
  const endedUs = clock.nowUs();
  return {
    tcpUs: tcpUs - beganUs,
    tlsUs: encrypted ? tlsUs - tcpUs : null,
    connectUs: endedUs - tlsUs,
    setUpUs: endedUs - beganUs,
  };
}

/** What a connection that is over put on the wire, below TLS. */
export interface ConnectionBytes {
  bytesSent: number;
  bytesReceived: number;
}

type PhaseName = Extract<HistogramName, `phase.${string}`>;

/** Distribution of the phases over many connections, and how many were made. */
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

  /** Of connections that were added, once they are closed. */
  addBytes({ bytesSent, bytesReceived }: ConnectionBytes): void {
    this.#bytes.sent += bytesSent;
    this.#bytes.received += bytesReceived;
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

  fail(reason: string): void {
    this.#failed += 1;
    this.#firstFailure ??= reason;
  }

  histograms(): RoleResult['histograms'] {
    return Object.fromEntries(
      [...this.#histograms].flatMap(([name, histogram]) => {
        const json = toHistogramJson(histogram);
        return json === null ? [] : [[name, json]];
      }),
    );
  }

  degraded(): RoleResult['degraded'] {
    if (this.#firstFailure === null) return [];
    const reason = `${this.#failed} of ${this.#failed + this.#opened} connections failed, the first because: ${this.#firstFailure}`;
    return [{ collector: 'connections', reason }];
  }

  #record(name: PhaseName, us: number): void {
    let histogram = this.#histograms.get(name);
    if (histogram === undefined) {
      histogram = new LatencyHistogram({ lowest: 1, highest: 6e7, significantDigits: 3 });
      this.#histograms.set(name, histogram);
    }
    histogram.record(us);
  }
}
