import type { BrokerCapability, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import type { BrokerReady, PrepareBroker } from '@mqttlab/shared/messages/agent';
import type { ChildRecords } from '../processes/child-records.ts';

export type BrokerFacts = Record<string, string | number | boolean | null>;

/** One broker process, for one Run. */
export interface Broker {
  /** Resolves once the port accepts; throws Failure 'broker-start' or 'port-taken'. */
  start(): Promise<BrokerReady>;
  /** Returns when the process has ended; also cancels a start. Never rejects. */
  stop(): Promise<void>;
  readonly pid: number | null;
  /** The process and those that work for it, all to be sampled; absent: `pid` alone. */
  readonly processes?: readonly number[];
  /** Why its process cannot be sampled as asked; absent or null when all is well. */
  readonly degraded?: string | null;
  /** The process that plays this broker now, where it may be another one than at the start; absent: `pid`. */
  pidNow?(): Promise<number | null>;
  /** Called once if the process ends without `stop`; the text is its last lines. */
  onExit(listener: (lastLines: string) => void): void;
  /** What it was started with, for the environment of the result. */
  facts(): BrokerFacts;
}

export interface BrokerOptions {
  spec: TrialSpec;
  /** PEM texts; null when plain. With an authority for clients, clients without a certificate of that authority are refused. */
  tls: { certificateChain: string; privateKey: string; clientAuthority?: string | null } | null;
  /** Where to listen: the address of the link's interface. */
  address: string;
  /** A port that clients know and who may log in there; absent: any free port, and anybody. */
  entrance?: PrepareBroker['entrance'];
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

/** What a broker may need to know of the device. */
export interface BrokerHost {
  entry: ProgramEntry;
  /** What this Node's OpenSSL can do. */
  nodeTls: Promise<TlsCapability>;
}
