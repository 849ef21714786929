import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { MqttClient } from 'mqtt';
import * as z from 'zod';
import { resolveHost } from '../../processes/network.ts';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  isAvailable,
  makeSample,
} from './energy-source.ts';
import { plug, shellyPower, tasmotaEnergy } from './smart-plugs.ts';

/** A plug without a message for this long counts as lost. */
const staleMs = 60_000;
const firstMessageMs = 2_500;
/** A lost broker is detected after 1.5 times this, in s. */
const keepAliveS = 10;

export const mqttPlug: EnergySourceDefinition = {
  id: 'plug-mqtt',
  label: 'Plug that reports its power over MQTT (Shelly, Tasmota)',
  ...plug,
  make: (environment) => {
    const address = parseAddress(environment.meterUrl);
    return address === null ? makeUnaddressed(environment) : makeMqttPlugSource(environment, address);
  },
};

interface PlugAddress {
  url: URL;
  topic: string;
  port: number;
}

function parseAddress(meterUrl: string | null): PlugAddress | null {
  const url = meterUrl === null ? null : URL.parse(meterUrl);
  if (url?.protocol !== 'mqtt:' || url.pathname.length <= 1) return null;
  try {
    const topic = decodeURIComponent(url.pathname.slice(1));
    return { url, topic, port: url.port === '' ? 1883 : Number(url.port) };
  } catch {
    return null;
  }
}

function makeUnaddressed({ clock }: EnergyEnvironment): EnergySource {
  const problem: EnergyProblem = {
    code: 'not-found',
    message: 'no address such as mqtt://192.0.2.7/shellies/plug/relay/0/power is set',
  };
  return {
    probe: async () => isAvailable(problem),
    start: async () => {},
    sample: async () => makeSample(clock.nowUs(), problem),
    stop: async () => {},
  };
}

/** Plugs report their power when it changes: the last value is valid until the next one. */
function makeMqttPlugSource({ clock }: EnergyEnvironment, { url, topic, port }: PlugAddress): EnergySource {
  let client: MqttClient | null = null;
  let latest: { atUs: number; power: number | EnergyProblem } | null = null;
  let trouble = '';
  let onFirst: () => void = () => {};
  /** Set while the host name is being resolved. */
  let starting = false;

  const noteTrouble = (error: unknown): void => {
    trouble = reasonOf(error);
    onFirst();
  };
  const start = async (): Promise<void> => {
    if (client !== null || starting) return;
    starting = true;
    try {
      const [{ address }, { connect }] = await Promise.all([resolveHost(hostOfUrl(url)), import('mqtt')]);
      if (!starting || client !== null) return;
      client = connect({ host: address, port, protocol: 'mqtt', keepalive: keepAliveS });
      subscribe(client);
    } catch (error) {
      noteTrouble(error);
    }
    starting = false;
  };
  const subscribe = (own: MqttClient): void => {
    latest = null;
    trouble = '';
    own.on('error', noteTrouble);
    own.on('message', (_topic, payload) => {
      const power = parsePlugMessage(payload.toString());
      const checked = typeof power === 'number' ? checkPower(power, 'the plug') : power;
      latest = { atUs: clock.nowUs(), power: checked };
      onFirst();
    });
    own.subscribe(topic, (error) => {
      if (error) noteTrouble(error);
    });
  };
  const stop = async (): Promise<void> => {
    starting = false;
    const own = client;
    client = null;
    own?.removeAllListeners('message');
    await own?.endAsync(true);
  };
  const now = (): number | EnergyProblem => {
    if (latest === null) {
      return { code: 'unreachable', message: trouble || `nothing was published on ${topic}` };
    }
    if (client?.connected !== true)
      return { code: 'vanished', message: 'the connection to the broker of the plug is lost' };
    if (clock.nowUs() - latest.atUs <= staleMs * 1_000) return latest.power;
    return { code: 'vanished', message: `the plug has reported nothing for ${staleMs / 1_000} s` };
  };
  return {
    async probe() {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, firstMessageMs);
        onFirst = () => {
          clearTimeout(timer);
          resolve();
        };
        void start();
      });
      const power = now();
      await stop();
      return isAvailable(typeof power === 'number' ? `${topic} at ${url.host}` : power);
    },
    start,
    sample: async () => makeSample(clock.nowUs(), now()),
    stop,
  };
}

/** Shelly Gen2 "status/switch:0", Tasmota "tele/.../SENSOR". */
const message = z.union([shellyPower, tasmotaEnergy]);

/** Parses W from a message: a number (Shelly Gen1 "relay/0/power") or one of the documents above. */
export function parsePlugMessage(text: string): number | EnergyProblem {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  try {
    const parsed = message.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON either.
  }
  return { code: 'nonsense', message: `the plug reports "${text.slice(0, 40)}"` };
}
