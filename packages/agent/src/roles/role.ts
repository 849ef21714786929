import type { AgentCapabilities, NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Connected, Drained, Progress, StartLoad } from '@mqttlab/shared/messages/agent';
import type { BrokerOffer, ProgramEntry } from '../brokers/broker.ts';
import type { MeasuredDevice } from '../instruments/instrument.ts';
import type { SpareWorker } from '../load/load-worker-process.ts';
import type { Clock } from '../load/pacing/clock.ts';
import { emptyLoadResult, type LoadResult } from '../load/worker-messages.ts';
import type { LinkShaper } from '../shaping/link-shaper.ts';

/** The device, which the roles of every run share. */
export interface Device extends MeasuredDevice {
  /** Command with which this program starts itself. */
  entry: ProgramEntry;
  workers: SpareWorker;
  offers: readonly BrokerOffer[];
  shaper: LinkShaper;
  /** Returns the current capabilities. */
  capabilities(): Promise<AgentCapabilities>;
}

/** Callbacks for one role during one run. */
interface RunEvents {
  onPhase(phase: Phase, durationUs: number | null): void;
  onProgress(progress: Progress): void;
  /** Called for a failure outside any command. */
  onFailure(failure: RoleFailure): void;
}

export interface RunContext {
  device: Device;
  /** Folder of the run, which the caller removes afterwards. */
  folder: string;
  /** Folder next to the result; its files are sent to the server. The first writer creates it. */
  filesFolder: string;
  log: RunLog;
  events: RunEvents;
}

/** One role in one run, from prepare to result. The trial runner ensures the order of the calls. */
export interface RoleDriver {
  /** Prepares the role. Throws Failure; `finish` must be called even then. */
  prepare(): Promise<unknown>;
  /** Connects; absent if a role has nothing to connect. */
  connect?(): Promise<Connected>;
  start(at: StartLoad): Promise<unknown>;
  drain(expected: number | null): Promise<Drained>;
  /**
   * Ends everything that this role started, at any time, and resolves with the available result. Never
   * rejects.
   */
  finish(): Promise<RoleResult>;
}

interface RunLogOptions {
  clock: Clock;
  /** Receives warnings, errors and milestones that are shown during the run. */
  onShown: (line: LogLine) => void;
}

/** Number of lines retained at the beginning and at the end; lines between them are dropped and counted. */
const linesAtEachEnd = 250;
const maxShown = 200;

/** The log of one role in one run, bounded regardless of how much a broker prints. */
export class RunLog {
  readonly #options: RunLogOptions;
  readonly #first: LogLine[] = [];
  readonly #last: LogLine[] = [];
  #dropped = 0;
  #shown = 0;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  add(level: LogLine['level'], source: string, text: string): void {
    const line = { at: this.#options.clock.unixMs(), level, source, text: text.slice(0, 1_000) };
    this.#keep(line);
    if (level === 'warn' || level === 'error') this.#show(line);
  }

  /** Adds a line that is also shown immediately. */
  milestone(source: string, text: string): void {
    const line: LogLine = { at: this.#options.clock.unixMs(), level: 'info', source, text };
    this.#keep(line);
    this.#show(line);
  }

  lines(): LogLine[] {
    if (this.#dropped === 0) return [...this.#first, ...this.#last];
    const at = this.#last[0]?.at ?? this.#options.clock.unixMs();
    const gap: LogLine = { at, level: 'warn', source: 'agent', text: `${this.#dropped} lines omitted` };
    return [...this.#first, gap, ...this.#last];
  }

  #keep(line: LogLine): void {
    if (this.#first.length < linesAtEachEnd) {
      this.#first.push(line);
      return;
    }
    this.#last.push(line);
    if (this.#last.length <= linesAtEachEnd) return;
    this.#last.shift();
    this.#dropped += 1;
  }

  #show(line: LogLine): void {
    this.#shown += 1;
    if (this.#shown <= maxShown) this.#options.onShown(line);
  }
}

const finishPatienceMs = 3_000;

/** Returns the worker's result, or an empty result if the worker has exited or does not respond. */
export async function readLoadResult(finish: () => Promise<LoadResult>): Promise<LoadResult> {
  try {
    return await within(finishPatienceMs, () => new Error('it did not answer'), finish());
  } catch (error) {
    return { ...emptyLoadResult, degraded: [{ collector: 'load', reason: reasonOf(error) }] };
  }
}

/** Returns a result in which nothing was measured. */
export function makeEmptyResult(role: RoleResult['role']): RoleResult {
  const { facts: _none, ...load } = emptyLoadResult;
  return {
    ...load,
    role,
    device: '',
    share: { index: 0, of: 1 },
    upstream: null,
    bridge: null,
    energy: null,
    perf: null,
    clock: null,
    shaping: [],
    tcp: null,
    series: [],
    environment: {},
    log: [],
    failure: null,
  };
}

/**
 * Ensures that the traffic uses only this link. Not needed for loopback, and not possible for an external
 * broker.
 */
export function bindTo(link: NetworkInterface): { localAddress?: string } {
  return link.kind === 'loopback' ? {} : { localAddress: link.address };
}
