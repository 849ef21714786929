import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import * as z from 'zod';
import { loadFailure } from '../processes/failures.ts';
import { protocolOf } from '../tls/connect-options.ts';

/** The parameters a client reads from its own library when it is connected and, if it subscribes, subscribed. */
const reportedSchema = z.object({
  /** Name as in Node; null: plain. */
  protocol: z.string().nullable(),
  cipherSuite: z.string().nullable(),
  grantedQos: z.literal([0, 1, 2]).nullable(),
});

export type ReportedConnection = z.infer<typeof reportedSchema>;

/**
 * A connection for one message: its local endpoint and the duration of each phase by the clock of its process, in µs.
 */
const openedSchema = reportedSchema.extend({
  address: z.string(),
  port: z.number(),
  tcpUs: z.number(),
  tlsUs: z.number().nullable(),
  connectUs: z.number(),
  setUpUs: z.number(),
});

/** A client's answer to "open" and "close". */
export const reconnectAnswerSchema = z.union([
  z.object({ opened: openedSchema }),
  z.object({ closed: z.literal(true) }),
  z.object({ failed: z.string() }),
]);

export type OpenedConnection = z.infer<typeof openedSchema>;
export type ReconnectAnswer = z.infer<typeof reconnectAnswerSchema>;

/** The first lines of the clients of one run. */
export class ReportedConnections {
  readonly #name: string;
  readonly #spec: TrialSpec;
  readonly #reported: (ReportedConnection | null)[] = [];

  constructor(name: string, spec: TrialSpec) {
    this.#name = name;
    this.#spec = spec;
  }

  /** Separates the line in which a client reports its connection from the rest of its output. */
  listen(index: number, onData: (chunk: Buffer) => void): (chunk: Buffer) => void {
    this.#reported[index] = null;
    let buffered = Buffer.alloc(0);
    return (chunk) => {
      if (this.#reported[index]) return onData(chunk);
      buffered = Buffer.concat([buffered, chunk]);
      const end = buffered.indexOf('\n');
      if (end < 0) return;
      this.#reported[index] = parseReport(buffered.toString('utf8', 0, end));
      buffered = buffered.subarray(end + 1);
      if (this.#reported[index]) onData(buffered);
    };
  }

  /**
   * Returns the granted QoS of the subscriptions, null if no client reported it. Throws Failure if a connection differs
   * from the trial.
   */
  check(): ReportedConnection['grantedQos'] {
    for (const report of this.#reported) this.checkOne(report);
    const granted = this.#reported.flatMap((report) => report?.grantedQos ?? []);
    return granted.length === 0 ? null : (Math.min(...granted) as ReportedConnection['grantedQos']);
  }

  /** Throws Failure if the connection differs from the trial. */
  checkOne(report: ReportedConnection | null): void {
    const { security, cipherSuite } = this.#spec;
    const wanted = describe(protocolOf(security), cipherSuite);
    const got = report === null ? 'unknown' : describe(report.protocol, cipherSuite && report.cipherSuite);
    if (got === wanted) return;
    const words = `The ${this.#name} negotiated ${got}, but the trial requires ${wanted}.`;
    throw loadFailure('negotiation-mismatch', words);
  }
}

function describe(protocol: string | null, cipherSuite: string | null): string {
  return protocol === null ? 'plain MQTT' : `${protocol} with ${cipherSuite ?? 'any suite'}`;
}

/** null if the line is not a report. */
function parseReport(line: string): ReportedConnection | null {
  try {
    return reportedSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
