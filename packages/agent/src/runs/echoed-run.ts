import { deviceTopics } from '@mqttlab/shared/catalogue/external-device/protocol';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { Connected, Drained, StartLoad } from '@mqttlab/shared/messages/agent';
import { DeviceConversation, type ExternalCommand } from '../external/device-conversation.ts';
import { ClientRun } from './client-run.ts';
import { lostDevice, resultOfDevice } from './device-result.ts';
import type { RoleRun, RunContext } from './role-run.ts';

/**
 * A subscriber that is another device, without an agent: it sends every message back on a topic of its own, where a
 * client of this agent counts them. The publisher's agent times the way there and back by its own clock. Nothing of
 * this machine is measured for the device.
 */
export class EchoedRun implements RoleRun {
  readonly #context: RunContext;
  readonly #command: ExternalCommand;
  readonly #device: DeviceConversation;
  readonly #counting: ClientRun;
  readonly #facts: RoleResult['environment'] = {};
  #negotiated: Connected['negotiated'] | null = null;
  #isCounting = false;

  constructor(context: RunContext, command: ExternalCommand) {
    this.#context = context;
    this.#command = command;
    const { echo } = deviceTopics(command.external.name);
    this.#counting = new ClientRun(context, { ...command, spec: { ...command.spec, topic: echo } });
    this.#device = new DeviceConversation(command, context.device.clock, ({ kind }) => {
      if (!this.#isCounting || (kind !== 'gone' && kind !== 'hello')) return;
      context.events.onTrouble(lostDevice(command.external.name));
    });
  }

  async prepare(): Promise<{ pid: number | null }> {
    await this.#device.open();
    return await this.#counting.prepare();
  }

  async connect(): Promise<Connected> {
    const connected = await this.#device.join(this.#context.log, this.#facts);
    this.#negotiated = connected.negotiated;
    await this.#device.subscribe();
    await this.#counting.connect();
    return connected;
  }

  async start(at: StartLoad): Promise<{ pid: number | null }> {
    this.#isCounting = true;
    return await this.#counting.start(at);
  }

  async drain(expected: number | null): Promise<Drained> {
    const drained = await this.#counting.drain(expected);
    this.#isCounting = false;
    return drained;
  }

  async finish(): Promise<RoleResult> {
    this.#isCounting = false;
    this.#device.say('stop');
    await this.#device.close();
    const { counters, throughput, degraded } = await this.#counting.finish();
    const own = resultOfDevice(this.#command, this.#device);
    return {
      ...own,
      counters,
      throughput,
      negotiated: this.#negotiated,
      environment: { ...own.environment, ...this.#facts },
      log: this.#context.log.lines(),
      degraded: [...own.degraded, ...degraded.filter(({ collector }) => collector === 'messages')],
    };
  }
}
