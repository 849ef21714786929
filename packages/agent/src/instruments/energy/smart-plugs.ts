import { reasonOf } from '@mqttlab/shared/kit/failure';
import * as z from 'zod';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySourceDefinition,
  makePolledSource,
} from './energy-source.ts';

/** Common properties of plugs between the wall and the power supply. */
export const plug = {
  quality: 'measured',
  covers: 'everything behind the plug, including the power supply and its losses',
  needsAddress: true,
  /** Their chips update the value about once a second. */
  minIntervalMs: 1_000,
  model: null,
} as const satisfies Partial<EnergySourceDefinition>;

interface HttpPlug {
  id: string;
  label: string;
  /** Name in a sentence: "the Shelly". */
  name: string;
  /** Path and query of the GET request. */
  path: string;
  /** Schema of a valid answer, and its power in W. */
  powerW: z.ZodType<number>;
}

/** Tasmota: plugs with several sockets report one value for each. */
export const tasmotaEnergy = z
  .object({ ENERGY: z.object({ Power: z.union([z.number(), z.array(z.number()).min(1)]) }) })
  .transform(({ ENERGY }) => [ENERGY.Power].flat().reduce((sum, power) => sum + power, 0));

/** Shelly's Gen2 RPC API, also of Gen3 and Gen4; `aenergy` is rounded to watt-hours per minute. */
export const shellyPower = z.object({ apower: z.number() }).transform(({ apower }) => apower);

/** Plugs that report their power in JSON over HTTP; a new plug is one entry here. */
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
    // `total` counts watt-minutes, too coarse for a run. A meter that reports itself as invalid has no value.
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

const timeoutMs = 2_000;

function defineHttpPlug({ id, label, name, path, powerW }: HttpPlug): EnergySourceDefinition {
  const make = ({ clock, fetch, meterUrl }: EnergyEnvironment) => {
    const read = async (): Promise<number | EnergyProblem> => {
      if (meterUrl === null) return { code: 'not-found', message: `no address is set for the ${name}` };
      const body = await readJson(fetch, new URL(path, meterUrl));
      if ('problem' in body) return body.problem;
      const answer = powerW.safeParse(body.json);
      if (answer.success) return checkPower(answer.data, `the ${name}`);
      const { path: at = [], message = '' } = answer.error.issues[0] ?? {};
      return { code: 'nonsense', message: `the ${name} answered without power: ${at.join('.')} ${message}` };
    };
    return makePolledSource({ clock, read, describe: () => `${name} at ${meterUrl}` });
  };
  return { id, label, ...plug, make };
}

async function readJson(
  fetchUrl: EnergyEnvironment['fetch'],
  url: URL,
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
