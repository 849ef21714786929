import type { BrokerPorts } from '@mqttlab/shared/domain/devices/broker-ports';
import type { BrokerCapability, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { BrokerReady, PrepareBroker } from '@mqttlab/shared/messages/agent';
import type { ChildRecords } from '../processes/child-records.ts';

export type BrokerFacts = Record<string, string | number | boolean | null>;

/** One broker process, for one run. */
export interface Broker {
  /** Resolves when the port accepts connections; throws Failure 'broker-start', 'port-taken' or 'ports-taken'. */
  start(): Promise<BrokerReady>;
  /** Ends the process and waits for its exit; also cancels a start. Never rejects. */
  stop(): Promise<void>;
  readonly pid: number | null;
  /** The broker process and its helpers, all to be sampled; if absent, only `pid`. */
  readonly processes?: readonly number[];
  /** Why its process cannot be sampled as requested; absent or null if it can. */
  readonly degraded?: string | null;
  /** The current broker process, if it can differ from the one at the start; if absent, `pid`. */
  pidNow?(): Promise<number | null>;
  /** Called once if the process ends without `stop`, with the last lines of its output. */
  onExit(listener: (lastLines: string) => void): void;
  /** Version and configuration, for the environment of the result. */
  facts(): BrokerFacts;
}

export interface BrokerOptions {
  spec: TrialSpec;
  /**
   * PEM texts; null when plain. With `clientAuthority`, clients without a certificate of that authority are refused.
   */
  tls: { certificateChain: string; privateKey: string; clientAuthority?: string | null } | null;
  /** Address to listen on: that of the link's interface. */
  address: string;
  /** A fixed port and its credentials; if absent, a free port without a login. */
  fixedListener?: PrepareBroker['fixedListener'];
  /** The free port is one of these; if absent, any. */
  ports?: BrokerPorts | undefined;
  /** Folder of the run; the caller removes it. */
  folder: string;
  records: ChildRecords;
  onLog: (level: LogLine['level'], text: string) => void;
}

/** A broker that this device can run. */
export interface BrokerOffer {
  capability: BrokerCapability;
  make(options: BrokerOptions): Broker;
}

/** How this program starts itself again in another mode: `execPath ...args <mode>`. */
export interface ProgramEntry {
  execPath: string;
  args: readonly string[];
}

/** What a broker needs to know about the device. */
export interface BrokerHost {
  entry: ProgramEntry;
  /** TLS capabilities of this Node's OpenSSL. */
  nodeTls: Promise<TlsCapability>;
}
