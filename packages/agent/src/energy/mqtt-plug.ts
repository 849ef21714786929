import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import * as z from 'zod';
import { resolveHost } from '../base/resolve-host.ts';
import { reasonOf } from '../base/run-failure.ts';
import { localEndsOf } from '../base/tcp-tables.ts';
import { OwnedChild } from '../children/owned-child.ts';
import { findDeathSignalCommand } from '../children/programs.ts';
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

/** A plug that has said nothing for so long is no longer there. */
const staleMs = 60_000;
const firstMessageMs = 2_500;
const stopPatienceMs = 1_000;

export const mqttPlug: EnergySourceDefinition = {
  id: 'plug-mqtt',
  label: 'Plug that tells its power over MQTT (Shelly, Tasmota)',
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
    message: 'no address like mqtt://192.0.2.7/shellies/plug/relay/0/power is given',
  };
  return {
    probe: async () => isAvailable(problem),
    start: async () => {},
    sample: async () => makeSample(clock.nowUs(), problem),
    stop: async () => {},
  };
}

/** Plugs tell their power when it changes: what was said last holds until something else is said. */
function makeMqttPlugSource(
  { clock, records }: EnergyEnvironment,
  { url, topic, port }: PlugAddress,
): EnergySource {
  let child: OwnedChild | null = null;
  let latest: { atUs: number; power: number | EnergyProblem } | null = null;
  let trouble = '';
  let onFirst: () => void = () => {};
  /** Its name is being looked up. */
  let starting = false;

  const start = async (): Promise<void> => {
    if (child !== null || starting) return;
    starting = true;
    try {
      const [{ address }, death] = await Promise.all([resolveHost(hostOfUrl(url)), findDeathSignalCommand()]);
      if (starting && child === null) child = subscribe([...death, 'mosquitto_sub'], address);
    } catch (error) {
      trouble = reasonOf(error);
      onFirst();
    }
    starting = false;
  };
  const subscribe = ([command = '', ...before]: readonly string[], address: string): OwnedChild => {
    latest = null;
    trouble = '';
    const own = new OwnedChild({
      command,
      // Without a password: it would stand in the process list.
      args: [...before, '-h', address, '-p', String(port), '-t', topic],
      onLine: (line, from) => {
        // One that was ended may still have something to say, which is for nobody any more.
        if (child !== own) return;
        if (from === 'stderr') {
          trouble = line.trim();
          return;
        }
        const power = parsePlugMessage(line);
        const checked = typeof power === 'number' ? checkPower(power, 'the plug') : power;
        latest = { atUs: clock.nowUs(), power: checked };
        onFirst();
      },
      patienceMs: stopPatienceMs,
      records,
    });
    own.start();
    own.exit
      .catch((error: unknown) => {
        if (child === own) trouble = reasonOf(error);
      })
      .then(() => {
        if (child === own) onFirst();
      });
    return own;
  };
  const stop = async (): Promise<void> => {
    starting = false;
    const own = child;
    child = null;
    await own?.stop();
  };
  // mosquitto_sub says nothing of a connection that it lost and makes anew.
  const isConnected = () => {
    const pid = child?.pid ?? null;
    return pid !== null && localEndsOf('/proc', pid, port).length > 0;
  };
  const now = (): number | EnergyProblem => {
    if (latest === null) {
      return { code: 'unreachable', message: trouble || `nothing was published on ${topic}` };
    }
    if (!isConnected())
      return { code: 'vanished', message: 'the connection to the broker of the plug is lost' };
    if (clock.nowUs() - latest.atUs <= staleMs * 1_000) return latest.power;
    return { code: 'vanished', message: `the plug has said nothing for ${staleMs / 1_000} s` };
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

/** W in a message: a bare number (Shelly Gen1 "relay/0/power") or one of the documents above. */
export function parsePlugMessage(text: string): number | EnergyProblem {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  try {
    const parsed = message.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // No JSON either.
  }
  return { code: 'nonsense', message: `the plug says "${text.slice(0, 40)}"` };
}
