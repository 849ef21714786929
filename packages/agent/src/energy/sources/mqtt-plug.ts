import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { hostOfUrl } from '@mqttlab/shared/domain/devices/network-address';
import { localEndsOf } from '../../clients/socket-ports.ts';
import { reasonOf } from '../../runs/run-failure.ts';
import { resolveHost } from '../../server/resolve-host.ts';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  type EnergySourceDefinition,
  isAvailable,
  makeSample,
} from '../energy-source.ts';
import { parsePlugMessage } from './parse-plug-message.ts';
import { plugCovers, plugIntervalMs } from './smart-plug.ts';

/** A plug that has said nothing for so long is no longer there. */
const staleMs = 60_000;
const firstMessageMs = 2_500;

export const mqttPlug: EnergySourceDefinition = {
  id: 'plug-mqtt',
  label: 'Plug that tells its power over MQTT (Shelly, Tasmota)',
  quality: 'measured',
  covers: plugCovers,
  needsAddress: true,
  minIntervalMs: plugIntervalMs,
  model: null,
  make: makeMqttPlugSource,
};

/** Plugs tell their power when it changes: what was said last holds until something else is said. */
function makeMqttPlugSource({ clock, meterUrl }: EnergyEnvironment): EnergySource {
  const url = parseAddress(meterUrl);
  let child: ChildProcess | null = null;
  let latest: { atUs: number; power: number | EnergyProblem } | null = null;
  let words = '';
  let onFirst: () => void = () => {};
  /** Its name is being looked up. */
  let starting = false;

  const start = async (url: URL): Promise<void> => {
    if (child !== null || starting) return;
    starting = true;
    const host = await resolveHost(hostOfUrl(url)).catch((error: unknown) => {
      words = reasonOf(error);
      return null;
    });
    if (host === null || !starting) {
      onFirst();
      starting = false;
      return;
    }
    starting = false;
    latest = null;
    words = '';
    const own = spawn('mosquitto_sub', argumentsOf(url, host.address), { stdio: ['ignore', 'pipe', 'pipe'] });
    child = own;
    // One that was ended may still have something to say, which is for nobody any more.
    const isCurrent = () => child === own;
    own.once('error', (error) => {
      if (!isCurrent()) return;
      words = error.message;
      onFirst();
    });
    own.once('close', () => {
      if (isCurrent()) onFirst();
    });
    own.stderr.on('data', (chunk: Buffer) => {
      if (isCurrent()) words = chunk.toString().trim();
    });
    createInterface({ input: own.stdout }).on('line', (line) => {
      if (!isCurrent()) return;
      const power = parsePlugMessage(line);
      latest = {
        atUs: clock.nowUs(),
        power: typeof power === 'number' ? checkPower(power, 'the plug') : power,
      };
      onFirst();
    });
  };
  const stop = (): void => {
    starting = false;
    child?.kill('SIGTERM');
    child = null;
  };
  // mosquitto_sub says nothing of a connection that it lost and makes anew.
  const isConnected = (): boolean =>
    url !== null && child?.pid !== undefined && localEndsOf('/proc', child.pid, portOf(url)).length > 0;
  const now = (): number | EnergyProblem => {
    if (latest === null) {
      const message = words || `nothing was published on ${topicOf(meterUrl)}`;
      return { code: 'unreachable', message };
    }
    if (!isConnected())
      return { code: 'vanished', message: 'the connection to the broker of the plug is lost' };
    if (clock.nowUs() - latest.atUs <= staleMs * 1_000) return latest.power;
    return { code: 'vanished', message: `the plug has said nothing for ${staleMs / 1_000} s` };
  };
  const noAddress: EnergyProblem = {
    code: 'not-found',
    message: 'no address like mqtt://192.0.2.7/shellies/plug/relay/0/power is given',
  };
  return {
    async probe() {
      if (url === null) return isAvailable(noAddress);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, firstMessageMs);
        onFirst = () => {
          clearTimeout(timer);
          resolve();
        };
        void start(url);
      });
      const power = now();
      stop();
      return isAvailable(typeof power === 'number' ? `${topicOf(meterUrl)} at ${url.host}` : power);
    },
    start() {
      return url === null ? Promise.resolve() : start(url);
    },
    sample: () => Promise.resolve(makeSample(clock.nowUs(), url === null ? noAddress : now())),
    stop() {
      stop();
      return Promise.resolve();
    },
  };
}

/** Without a password: it would stand in the process list. */
function argumentsOf(url: URL, address: string): string[] {
  return ['-h', address, '-p', String(portOf(url)), '-t', decodeURIComponent(url.pathname.slice(1))];
}

function portOf({ port }: URL): number {
  return port === '' ? 1883 : Number(port);
}

function parseAddress(meterUrl: string | null): URL | null {
  const url = meterUrl === null ? null : URL.parse(meterUrl);
  if (url?.protocol !== 'mqtt:' || url.pathname.length <= 1) return null;
  try {
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return null;
  }
}

function topicOf(meterUrl: string | null): string {
  return decodeURIComponent(parseAddress(meterUrl)?.pathname.slice(1) ?? 'no topic');
}
