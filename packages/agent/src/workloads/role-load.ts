import type { Counters, HistogramJson, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Throughput } from '@mqttlab/shared/domain/runs/throughput';
import type { Drained } from '@mqttlab/shared/messages/agent';
import type { ByteWriter } from '../mqtt/byte-writer.ts';
import type { ConnectionGrant } from '../mqtt/connack.ts';
import type { Traffic } from '../mqtt/connection.ts';
import type { Instants, LoadPhase } from '../pacing/timeline.ts';

export interface LoadFigures {
  counters: Counters;
  /** Absent where no messages travel. */
  throughput?: Throughput | null;
  latency: HistogramJson | null;
  lateness: HistogramJson | null;
  histograms: RoleResult['histograms'];
  states?: RoleResult['states'];
  randomness?: RoleResult['randomness'];
  /** Since the start of the measure phase. */
  series?: RoleResult['series'];
  facts?: RoleResult['environment'];
  degraded: { collector: string; reason: string }[];
}

export interface LoadSnapshot {
  /** Measured so far. */
  messages: number;
  /** Including warm-up. */
  all: number;
  late: number;
  /** Since the snapshot before; null without latencies. */
  latencyMs: { p5: number; p50: number; p95: number } | null;
}

/** What a load needs of a connection: ours, or the pipe of another program that has one. */
export interface Carrier {
  readonly writer: ByteWriter;
  readonly grant: ConnectionGrant | null;
}

/** What a worker does with its connections: send or receive. */
export interface RoleLoad {
  /** The traffic of a connection; called once for each, before it is opened. */
  attach(carrier: Carrier, index: number): Traffic;
  start(instants: Instants, onEnter: (phase: LoadPhase) => void): void;
  /** A connection is gone: nothing more is sent or counted on it. */
  lose(index: number): void;
  /** Ends sending and timers at once; idempotent. */
  stop(): void;
  drain(expected: number | null): Promise<Drained>;
  snapshot(): LoadSnapshot;
  figures(): LoadFigures;
}
