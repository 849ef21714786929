import { carriedBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import {
  type DeviceLine,
  type DeviceSchedule,
  scheduleFor,
  writeStart,
} from '@mqttlab/shared/catalogue/external-device/protocol';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset, PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import { Failure } from '@mqttlab/shared/kit/failure';
import type { Connected, Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import { DeviceConversation, type ExternalCommand } from '../external/device-conversation.ts';
import { callAt } from '../pacing/clock.ts';
import { makeDurations, toHistogramsJson } from '../workloads/counting/histograms.ts';
import { lostDevice, resultOfDevice } from './device-result.ts';
import type { RoleRun, RunContext } from './role-run.ts';

/**
 * A publisher that is another device, without an agent: this one waits for it, tells it what to send and when, and
 * keeps what it reports. Nothing of this machine is measured for it.
 */
export class ExternalRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: ExternalCommand;
  readonly #device: DeviceConversation;
  readonly #roundTrips = makeDurations();
  readonly #facts: RoleResult['environment'] = {};
  #negotiated: Connected['negotiated'] | null = null;
  #clock: { before: ClockOffset; after: ClockOffset | null } | null = null;
  #started: { at: StartLoad; schedule: DeviceSchedule } | null = null;
  #sent: Extract<DeviceLine, { kind: 'sent' }> | null = null;
  #drained: Promise<Drained> | null = null;
  #cancels: (() => void)[] = [];
  #isOver = false;

  constructor(context: RunContext, command: ExternalCommand) {
    this.#context = context;
    this.#command = command;
    this.#device = new DeviceConversation(command, context.device.clock, (line) => this.#note(line));
  }

  async prepare(): Promise<{ pid: null }> {
    await this.#device.open();
    return { pid: null };
  }

  async connect(): Promise<Connected> {
    const connected = await this.#device.join(this.#context.log, this.#facts);
    this.#negotiated = connected.negotiated;
    await this.#device.agreeOnKey();
    const before = await this.#device.compareClocks();
    this.#clock = { before, after: null };
    const bound = `its clock is known to ${Math.ceil(before.uncertaintyUs)} µs`;
    this.#context.log.add('info', 'agent', `${this.#command.external.name}: ${bound}`);
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: null }> {
    const { spec, clock, external, runTag } = this.#command;
    const offsetUs = (this.#clock?.before.offsetUs ?? 0) + clock.offsetUs;
    const schedule = scheduleFor(spec, at, { toDeviceUs: -offsetUs, roundTrip: external.roundTrip });
    this.#started = { at, schedule };
    this.#device.say(writeStart(schedule, { runTag, offsetUs, topic: spec.topic }));
    const { device, events } = this.#context;
    const enter = (phase: 'warm-up' | 'measure' | 'drain', atUs: number) =>
      callAt(device.clock, atUs - clock.offsetUs, () => events.onPhase(phase, null));
    this.#cancels = [
      enter('warm-up', at.warmUpAtUs),
      enter('measure', at.measureAtUs),
      enter('drain', at.measureAtUs + schedule.stopUs - schedule.measureUs),
    ];
    return { pid: null };
  }

  async drain(): Promise<Drained> {
    this.#drained ??= this.#untilSent();
    return await this.#drained;
  }

  async finish(): Promise<RoleResult> {
    this.#isOver = true;
    for (const cancel of this.#cancels) cancel();
    this.#device.say('stop');
    await this.#device.close();
    const own = resultOfDevice(this.#command, this.#device);
    return {
      ...own,
      phases: this.#phases(),
      negotiated: this.#negotiated,
      counters: this.#counters(),
      histograms: toHistogramsJson({ roundTrip: this.#roundTrips }),
      clock: this.#clock,
      environment: { ...own.environment, ...this.#facts },
      log: this.#context.log.lines(),
    };
  }

  async #untilSent(): Promise<Drained> {
    const { clock, spec, external } = this.#command;
    const started = this.#started;
    if (started === null) return { messages: 0, timedOut: false };
    const { at, schedule } = started;
    const loadMs = (at.stopAtUs - clock.offsetUs - this.#context.device.clock.nowUs()) / 1000;
    this.#sent ??= await this.#device.untilSent(Math.max(0, loadMs) + spec.drainTimeoutMs);
    const { sent } = this.#sent;
    if (sent > schedule.planned) {
      throw new Failure({
        code: 'device-sent-too-much',
        message: `${external.name} sent ${sent} measured messages where ${schedule.planned} were due.`,
        remedy: 'Give it the program of the Devices page, which keeps to the schedule that it is told.',
      });
    }
    if (this.#clock) this.#clock.after = await this.#device.compareClocks();
    return { messages: sent, timedOut: false };
  }

  #note(line: DeviceLine): void {
    if (line.kind === 'round') for (const us of line.us) this.#roundTrips.record(us);
    if (line.kind === 'sent') this.#sent = line;
    const isRunning = this.#started !== null && this.#sent === null && !this.#isOver;
    if (isRunning && (line.kind === 'gone' || line.kind === 'hello')) {
      this.#context.events.onTrouble(lostDevice(this.#command.external.name));
    }
  }

  #counters(): RoleResult['counters'] {
    if (this.#sent === null || this.#started === null) return null;
    const { sent, acknowledged, late } = this.#sent;
    const { spec } = this.#command;
    const unsent = Math.max(0, this.#started.schedule.planned - sent);
    return makeCounters({
      sent,
      acknowledged,
      late,
      unsent,
      payloadBytesSent: sent * payloadBytesOf(spec),
      carriedBytesSent: sent * carriedBytesOf(spec),
    });
  }

  /** As agreed: when the device really began and ended, its clock and stamps say. */
  #phases(): PhaseRecord[] {
    if (this.#started === null) return [];
    const { at, schedule } = this.#started;
    const record = (phase: PhaseRecord['phase'], startUs: number, durationUs: number): PhaseRecord => ({
      phase,
      startUs,
      durationUs,
      cpuUs: null,
      energyJ: null,
      bytesSent: null,
      bytesReceived: null,
      connections: 1,
    });
    return [
      record('warm-up', at.warmUpAtUs, at.measureAtUs - at.warmUpAtUs),
      record('measure', at.measureAtUs, schedule.stopUs - schedule.measureUs),
    ];
  }
}
