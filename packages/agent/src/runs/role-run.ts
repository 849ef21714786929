import type { AgentCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import type { LogLine, RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Phase } from '@mqttlab/shared/domain/runs/statuses';
import type { Connected, Drained, Progress, StartLoad } from '@mqttlab/shared/messages/agent';
import type { BrokerOffer, ProgramEntry } from '../brokers/broker.ts';
import type { Sensors } from '../capabilities/sensors.ts';
import type { CaptureOffer } from '../capture/find-capture.ts';
import type { ChildRecords } from '../children/child-records.ts';
import type { SpareWorker } from '../load-process/spare-worker.ts';
import type { Clock } from '../pacing/clock.ts';
import type { LinkShaper } from '../shaping/link-shaper.ts';

/** What the roles of every Run share: the device they run on. */
export interface Device {
  /** How this program starts itself again. */
  entry: ProgramEntry;
  clock: Clock;
  procRoot: string;
  sysRoot: string;
  records: ChildRecords;
  workers: SpareWorker;
  offers: readonly BrokerOffer[];
  sensors: Sensors;
  capture: CaptureOffer;
  shaper: LinkShaper;
  /** As of now. */
  capabilities(): Promise<AgentCapabilities>;
}

/** What one role of one Run tells while it goes on. */
interface RunEvents {
  onPhase(phase: Phase, durationUs: number | null): void;
  onProgress(progress: Progress): void;
  /** Something broke that no command asked for. */
  onTrouble(failure: RoleFailure): void;
}

export interface RunContext {
  device: Device;
  /** The Run's own folder, removed afterwards by whoever made it. */
  folder: string;
  /** Beside its result: what stands there goes to the server with it. Made by whoever writes into it. */
  filesFolder: string;
  log: RunLog;
  events: RunEvents;
}

/** One role in one Run, from prepare to result. The trial runner sees to the order of the calls. */
export interface RoleRun {
  /** Throws Failure; `finish` must be called afterwards all the same. */
  prepare(): Promise<unknown>;
  /** Absent where a role has nothing to connect. */
  connect?(): Promise<Connected>;
  start(at: StartLoad): Promise<unknown>;
  drain(expected: number | null): Promise<Drained>;
  /** Ends everything that this role started, at any time, and says what there is. Never rejects. */
  finish(): Promise<RoleResult>;
}

interface RunLogOptions {
  clock: Clock;
  /** Gets warnings, errors and milestones, to be shown while the Run goes on. */
  onShown: (line: LogLine) => void;
}

/** Lines kept from the beginning and from the end; what lies between is counted and dropped. */
const keptAtEachEnd = 250;
const maxShown = 200;

/** The log of one role in one Run: bounded, whatever a broker may have to say. */
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

  /** A line that is shown at once as well. */
  milestone(source: string, text: string): void {
    const line: LogLine = { at: this.#options.clock.unixMs(), level: 'info', source, text };
    this.#keep(line);
    this.#show(line);
  }

  lines(): LogLine[] {
    if (this.#dropped === 0) return [...this.#first, ...this.#last];
    const at = this.#last[0]?.at ?? this.#options.clock.unixMs();
    const gap: LogLine = { at, level: 'warn', source: 'agent', text: `${this.#dropped} lines left out here` };
    return [...this.#first, gap, ...this.#last];
  }

  #keep(line: LogLine): void {
    if (this.#first.length < keptAtEachEnd) {
      this.#first.push(line);
      return;
    }
    this.#last.push(line);
    if (this.#last.length <= keptAtEachEnd) return;
    this.#last.shift();
    this.#dropped += 1;
  }

  #show(line: LogLine): void {
    this.#shown += 1;
    if (this.#shown <= maxShown) this.#options.onShown(line);
  }
}
