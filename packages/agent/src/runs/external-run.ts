import {
  type DeviceLine,
  type DeviceSchedule,
  scheduleFor,
  writeStart,
} from '@mqttlab/shared/catalogue/external-device/protocol';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type {
  ClockOffset,
  PhaseRecord,
  RoleFailure,
  RoleResult,
} from '@mqttlab/shared/domain/runs/role-result';
import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { Connected, Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import { RunFailure } from '../base/run-failure.ts';
import { describeNegotiated } from '../clients/offered-tls.ts';
import { DeviceConversation, type ExternalCommand } from '../external/device-conversation.ts';
import { emptyLoadResult } from '../load-process/worker-messages.ts';
import { callAt } from '../pacing/clock.ts';
import { brokerGroupListOf } from '../tls/suites-and-groups.ts';
import { makeDurations, toHistogramsJson } from '../workloads/counting/histograms.ts';
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
  readonly #facts: RoleResult['environment'] = { 'client.engine': 'external device' };
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
    this.#facts['device.name'] = command.external.name;
    this.#device = new DeviceConversation(command, context.device.clock, (line) => this.#note(line));
  }

  async prepare(): Promise<{ pid: null }> {
    await this.#device.open();
    return { pid: null };
  }

  async connect(): Promise<Connected> {
    const { external, broker, spec } = this.#command;
    const { log } = this.#context;
    log.milestone('agent', `waiting for ${external.name} to connect to ${broker.address}:${broker.port}`);
    const program = await this.#device.meet();
    this.#facts['device.program'] = program;
    const before = await this.#device.compareClocks();
    this.#clock = { before, after: null };
    const bound = `its clock is known to ${Math.ceil(before.uncertaintyUs)} µs`;
    log.milestone('agent', `${external.name} is connected (${program}); ${bound}`);
    // The broker offers this version, this suite and this group and nothing else: whoever is connected has agreed on them.
    const singleGroup = brokerGroupListOf(spec) !== null;
    this.#negotiated = {
      ...describeNegotiated(this.#command, { local: null, singleGroup, grantedQos: null }),
      // Whether it kept a session of its own from an earlier run, the broker does not say.
      resumed: null,
    };
    return { negotiated: this.#negotiated };
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
    const { unreadable } = this.#device;
    const { facts: _none, ...empty } = emptyLoadResult;
    return {
      ...empty,
      role: 'publisher',
      device: '',
      share: { index: 0, of: 1 },
      upstream: null,
      bridge: null,
      phases: this.#phases(),
      negotiated: this.#negotiated,
      counters: this.#counters(),
      histograms: toHistogramsJson({ roundTrip: this.#roundTrips }),
      energy: null,
      perf: null,
      clock: this.#clock,
      shaping: [],
      tcp: null,
      series: [],
      environment: this.#facts,
      log: this.#context.log.lines(),
      degraded:
        unreadable === 0
          ? []
          : [
              {
                collector: 'device',
                reason: `${unreadable} lines of ${this.#command.external.name} could not be read.`,
              },
            ],
      failure: null,
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
      throw new RunFailure({
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
      this.#context.events.onTrouble(lost(this.#command.external.name));
    }
  }

  #counters(): RoleResult['counters'] {
    if (this.#sent === null || this.#started === null) return null;
    const { sent, acknowledged, late } = this.#sent;
    const bytes = sent * payloadBytesOf(this.#command.spec);
    const unsent = Math.max(0, this.#started.schedule.planned - sent);
    return makeCounters({
      sent,
      acknowledged,
      late,
      unsent,
      payloadBytesSent: bytes,
      carriedBytesSent: bytes,
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

function lost(name: string): RoleFailure {
  return {
    code: 'device-lost',
    message: `${name} lost its connection to the broker during the run.`,
    remedy: 'Look at its radio, its supply and its own log, then retry the run.',
  };
}
