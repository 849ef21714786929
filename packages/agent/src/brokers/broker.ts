import type { BrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type { BrokerCapability, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { BrokerReady, PrepareBroker } from '@mqttlab/shared/messages/agent';
import type { ChildRecords } from '../processes/child-records.ts';

export type BrokerFacts = Record<string, string | number | boolean | null>;

/** The broker process of one run. */
export interface Broker {
  /** Resolves when the port accepts connections; throws Failure 'broker-start', 'port-taken' or 'ports-taken'. */
  start(): Promise<BrokerReady>;
  /** Stops the process and waits until it has exited; also cancels a start. Never rejects. */
  stop(): Promise<void>;
  readonly pid: number | null;
  /** Process ids of the broker and its helpers, all of which are sampled; if absent, only `pid`. */
  readonly processes?: readonly number[];
  /** Reason why the process cannot be sampled as requested; absent or null if it can. */
  readonly degraded?: string | null;
  /**
   * Returns the current broker process if it can differ from the one at the start; if absent, `pid` applies.
   */
  pidNow?(): Promise<number | null>;
  /** Called once if the process exits without `stop`, with the last lines of its output. */
  onExit(listener: (lastLines: string) => void): void;
  /** Returns the version and configuration, for the environment in the result. */
  facts(): BrokerFacts;
}

export interface BrokerOptions {
  spec: TrialSpec;
  /**
   * PEM texts; null without TLS. With `clientAuthority`, clients without a certificate from that authority
   * are refused.
   */
  tls: { certificateChain: string; privateKey: string; clientAuthority?: string | null } | null;
  /** Address to listen on, which is the address of the link's interface. */
  address: string;
  /** A fixed port and its credentials; if absent, a free port without a login. */
  fixedListener?: PrepareBroker['fixedListener'];
  /** Range for the free port; any port if absent. */
  ports?: BrokerPorts | undefined;
  /** Folder of the run, which the caller removes. */
  folder: string;
  records: ChildRecords;
  onLog: (level: LogLine['level'], text: string) => void;
}

/** A broker that this device can run. */
export interface BrokerOffer {
  capability: BrokerCapability;
  make(options: BrokerOptions): Broker;
}

/** Command with which this program starts itself in another mode: `execPath ...args <mode>`. */
export interface ProgramEntry {
  execPath: string;
  args: readonly string[];
}

/** Information about the device that a broker needs. */
export interface BrokerHost {
  entry: ProgramEntry;
  /** TLS capabilities of the OpenSSL in this Node. */
  nodeTls: Promise<TlsCapability>;
}
