import { once } from 'node:events';
import { connect } from 'node:net';
import type { ExternalBroker as Setting } from '@mqttlab/shared/domain/devices/external-broker';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { resolveHost } from '../base/resolve-host.ts';
import type { Broker, BrokerFacts, BrokerOptions } from './broker.ts';
import { findBrokerProcess, withDescendants } from './find-process.ts';

const connectTimeoutMs = 5_000;

export interface ExternalBrokerOptions extends Pick<BrokerOptions, 'spec' | 'onLog'> {
  setting: Setting;
  procRoot: string;
  sysRoot: string;
}

/** A broker that somebody else runs: looked for, never started, configured or stopped. */
export class ExternalBroker implements Broker {
  readonly #options: ExternalBrokerOptions;
  #pid: number | null = null;
  #port = 0;
  #doubt: string | null = null;
  #processes: number[] = [];

  constructor(options: ExternalBrokerOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#pid;
  }

  get processes(): readonly number[] {
    return this.#processes;
  }

  get degraded(): string | null {
    return this.#doubt;
  }

  /** Whose process ended, the clients notice. */
  onExit(): void {}

  /** Throws Failure 'broker-unreachable', and 'no-broker' where it does not offer what is asked for. */
  async start(): Promise<BrokerReady> {
    const { setting, spec, onLog, procRoot } = this.#options;
    this.#port = portOf(setting, spec);
    const address = await resolve(setting, this.#port);
    await tryToConnect(setting, address, this.#port);
    const { pid, doubt } = await this.#find();
    this.#pid = pid;
    this.#doubt = doubt;
    this.#processes = pid === null ? [] : withDescendants(procRoot, pid);
    if (doubt !== null) onLog('warn', `${setting.label}: ${doubt}`);
    return { address, port: this.#port, kind: 'external', version: setting.label, pid };
  }

  /** Nothing of it is ours to stop. */
  async stop(): Promise<void> {}

  async pidNow(): Promise<number | null> {
    return (await this.#find()).pid;
  }

  facts(): BrokerFacts {
    const { label, process, unit, username } = this.#options.setting;
    return {
      'broker.configuration': 'not known: mqttlab does not run this broker',
      'broker.label': label,
      'broker.process': unit ?? process,
      'broker.processes': this.#processes.length,
      'broker.username': username,
    };
  }

  #find() {
    const { setting, procRoot, sysRoot } = this.#options;
    const { process, unit } = setting;
    return findBrokerProcess({ procRoot, sysRoot, process, unit, port: this.#port });
  }
}

function portOf(setting: Setting, { security, transport }: TrialSpec): number {
  const secure = security !== 'plain';
  const plainOrTls = secure ? setting.tlsPort : setting.port;
  const port = transport === 'tcp' ? plainOrTls : secure ? null : setting.websocketPort;
  if (port !== null) return port;
  const way = `${secure ? 'TLS' : 'plain MQTT'}${transport === 'tcp' ? '' : ' over WebSocket'}`;
  throw new Failure({
    code: 'no-broker',
    message: `No port is set for ${way} of ${setting.label}.`,
    remedy: 'Set it on the Devices page, or choose another protocol or transport.',
  });
}

/** Once, here, so that no client pays for it while its connection is timed. */
async function resolve(setting: Setting, port: number): Promise<string> {
  try {
    return (await resolveHost(setting.address)).address;
  } catch (error) {
    throw unreachable(setting, port, `its address cannot be used: ${reasonOf(error)}`);
  }
}

async function tryToConnect(setting: Setting, address: string, port: number): Promise<void> {
  const socket = connect({ host: address, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) });
  } catch (error) {
    throw unreachable(setting, port, reasonOf(error));
  } finally {
    socket.destroy();
  }
}

function unreachable({ label, address }: Setting, port: number, reason: string): Failure {
  return new Failure({
    code: 'broker-unreachable',
    message: `${label} does not answer at ${address}:${port}: ${reason}`,
    remedy: 'Start it, or correct its address and ports on the Devices page.',
  });
}
