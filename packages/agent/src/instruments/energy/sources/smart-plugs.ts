import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import type { MqttClient } from 'mqtt';
import * as z from 'zod';
import { resolveHost } from '../../../processes/network.ts';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  isAvailable,
  makePolledSource,
  makeSample,
} from '../energy-source.ts';

/** Common properties of plugs that are between the wall socket and the power supply. */
const plug = {
  quality: 'measured',
  covers: 'everything behind the plug, including the power supply and its losses',
  needsAddress: true,
  /** The chips of the plugs update the value about once a second. */
  minIntervalMs: 1_000,
  model: null,
} as const satisfies Partial<EnergySourceDefinition>;

interface HttpPlug {
  id: string;
  label: string;
  /** Name within a sentence: "the Shelly". */
  name: string;
  /** Path and query of the GET request. */
  path: string;
  /** Schema of a valid response, and the power in W that it contains. */
  powerW: z.ZodType<number>;
}

/** Tasmota plugs with several sockets report one value for each socket. */
const tasmotaEnergy = z
  .object({ ENERGY: z.object({ Power: z.union([z.number(), z.array(z.number()).min(1)]) }) })
  .transform(({ ENERGY }) => [ENERGY.Power].flat().reduce((sum, power) => sum + power, 0));

/** Shelly's Gen2 RPC API, also used by Gen3 and Gen4; `aenergy` is rounded to watt-hours per minute. */
const shellyPower = z.object({ apower: z.number() }).transform(({ apower }) => apower);

/** Plugs that report their power in JSON over HTTP; to support another plug, add an entry here. */
export const httpPlugs: readonly EnergySourceDefinition[] = [
  {
    id: 'shelly-gen2',
    label: 'Shelly Plus, Pro, Gen3 (second generation and later)',
    name: 'Shelly',
    path: '/rpc/Switch.GetStatus?id=0',
    powerW: shellyPower,
  },
  {
    id: 'shelly-gen1',
    label: 'Shelly Plug, 1PM (first generation)',
    name: 'Shelly',
    path: '/meter/0',
    // `total` counts watt-minutes, which is too coarse for a run. A meter that reports itself as invalid has
    // no value.
    powerW: z.object({ power: z.number(), is_valid: z.literal(true) }).transform(({ power }) => power),
  },
  {
    id: 'tasmota',
    label: 'Plug with Tasmota',
    name: 'Tasmota plug',
    path: '/cm?cmnd=Status%208',
    powerW: z.object({ StatusSNS: tasmotaEnergy }).transform(({ StatusSNS }) => StatusSNS),
  },
].map(defineHttpPlug);

/** A sample that takes longer is a gap, because the end of a run waits for the last two samples. */
const sampleTimeoutMs = 2_000;
/** A plug with weak Wi-Fi responds slowly, and so does a busy device. */
const probeTimeoutMs = 10_000;

function defineHttpPlug({ id, label, name, path, powerW }: HttpPlug): EnergySourceDefinition {
  const make = ({ clock, fetch, meterUrl }: EnergyEnvironment) => {
    const readWithin = async (timeoutMs: number): Promise<number | EnergyProblem> => {
      if (meterUrl === null) return { code: 'not-found', message: `no address is set for the ${name}` };
      const body = await readJson(fetch, new URL(path, meterUrl), timeoutMs);
      if ('problem' in body) return body.problem;
      const answer = powerW.safeParse(body.json);
      if (answer.success) return checkPower(answer.data, `the ${name}`);
      const { path: at = [], message = '' } = answer.error.issues[0] ?? {};
      return {
        code: 'nonsense',
        message: `the ${name} sent a response without power: ${at.join('.')} ${message}`,
      };
    };
    return makePolledSource({
      clock,
      read: () => readWithin(sampleTimeoutMs),
      readFirst: () => readWithin(probeTimeoutMs),
      describe: () => `${name} at ${meterUrl}`,
    });
  };
  return { id, label, ...plug, make };
}

async function readJson(
  fetchUrl: EnergyEnvironment['fetch'],
  url: URL,
  timeoutMs: number,
): Promise<{ json: unknown } | { problem: EnergyProblem }> {
  const problem = (code: EnergyProblem['code'], message: string) => ({
    problem: { code, message: `${url} ${message}` },
  });
  let text: string;
  try {
    const response = await fetchUrl(url, { signal: AbortSignal.timeout(timeoutMs) });
    const { status } = response;
    if (status === 401 || status === 403) return problem('no-permission', `requires a password (${status})`);
    if (!response.ok) return problem('unreachable', `answered ${status}`);
    text = response.text;
  } catch (error) {
    return problem('unreachable', `did not answer: ${reasonOf(error)}`);
  }
  try {
    return { json: JSON.parse(text) };
  } catch {
    return problem('nonsense', `answered no JSON: "${text.slice(0, 40)}"`);
  }
}

/** A plug that sends no message for this long counts as lost. */
const staleMs = 60_000;
/** Plugs report only when their power changes, and a broker may be busy. */
const firstMessageMs = 10_000;
/** A lost broker is detected after 1.5 times this value, in s. */
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

/**
 * Makes a source for plugs that report their power when it changes, so that the last value is valid until the
 * next one.
 */
function makeMqttPlugSource({ clock }: EnergyEnvironment, { url, topic, port }: PlugAddress): EnergySource {
  let client: MqttClient | null = null;
  let latest: { atUs: number; power: number | EnergyProblem } | null = null;
  let lastFailure = '';
  let onFirst: () => void = () => {};
  /** Set while the host name is being resolved. */
  let starting = false;

  const noteFailure = (error: unknown): void => {
    lastFailure = reasonOf(error);
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
      noteFailure(error);
    }
    starting = false;
  };
  const subscribe = (own: MqttClient): void => {
    latest = null;
    lastFailure = '';
    // A stopped client still rejects its pending subscription.
    const noteOwnFailure = (error: unknown): void => {
      if (client === own) noteFailure(error);
    };
    own.on('error', noteOwnFailure);
    own.on('message', (_topic, payload) => {
      const power = parsePlugMessage(payload.toString());
      const checked = typeof power === 'number' ? checkPower(power, 'the plug') : power;
      latest = { atUs: clock.nowUs(), power: checked };
      onFirst();
    });
    own.subscribe(topic, (error) => {
      if (error) noteOwnFailure(error);
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
      return { code: 'unreachable', message: lastFailure || `nothing was published on ${topic}` };
    }
    if (client?.connected !== true)
      return { code: 'vanished', message: "the connection to the plug's broker is lost" };
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

/** Formats of Shelly Gen2 "status/switch:0" and Tasmota "tele/.../SENSOR". */
const plugMessage = z.union([shellyPower, tasmotaEnergy]);

/**
 * Parses the power in W from a message: a number (Shelly Gen1 "relay/0/power") or one of the documents above.
 */
export function parsePlugMessage(text: string): number | EnergyProblem {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  try {
    const parsed = plugMessage.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // Not JSON either.
  }
  return { code: 'nonsense', message: `the plug reports "${text.slice(0, 40)}"` };
}
