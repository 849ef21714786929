import type { ZodType } from 'zod';
import { reasonOf } from '../../runs/run-failure.ts';
import {
  checkPower,
  type EnergyEnvironment,
  type EnergyProblem,
  type EnergySource,
  isAvailable,
  makeSample,
} from '../energy-source.ts';

const timeoutMs = 2_000;

export interface HttpMeter<Answer> {
  name: string;
  /** Path with query, asked by GET. */
  path: string;
  /** What a genuine answer looks like. */
  schema: ZodType<Answer>;
  powerW(answer: Answer): number;
}

/** A meter that tells its power in JSON over HTTP. The moment of measuring is half-way through the request. */
export function makeHttpMeterSource<Answer>(
  { clock, fetch, meterUrl }: EnergyEnvironment,
  meter: HttpMeter<Answer>,
): EnergySource {
  const readPowerW = async (): Promise<number | EnergyProblem> => {
    if (meterUrl === null) return { code: 'not-found', message: `no address is given for the ${meter.name}` };
    const body = await readJson(fetch, new URL(meter.path, meterUrl));
    if ('problem' in body) return body.problem;
    const answer = meter.schema.safeParse(body.json);
    if (answer.success) return checkPower(meter.powerW(answer.data), `the ${meter.name}`);
    const { path = [], message = '' } = answer.error.issues[0] ?? {};
    return {
      code: 'nonsense',
      message: `the ${meter.name} answered without power: ${path.join('.')} ${message}`,
    };
  };
  return {
    async probe() {
      const power = await readPowerW();
      return isAvailable(typeof power === 'number' ? `${meter.name} at ${meterUrl}` : power);
    },
    start: () => Promise.resolve(),
    async sample() {
      const beforeUs = clock.nowUs();
      const power = await readPowerW();
      return makeSample((beforeUs + clock.nowUs()) / 2, power);
    },
    stop: () => Promise.resolve(),
  };
}

async function readJson(
  fetchUrl: EnergyEnvironment['fetch'],
  url: URL,
): Promise<{ json: unknown } | { problem: EnergyProblem }> {
  let text: string;
  try {
    const response = await fetchUrl(url, { signal: AbortSignal.timeout(timeoutMs) });
    text = response.text;
    if (response.status === 401 || response.status === 403) {
      return { problem: { code: 'no-permission', message: `${url} wants a password (${response.status})` } };
    }
    if (!response.ok) {
      return { problem: { code: 'unreachable', message: `${url} answered ${response.status}` } };
    }
  } catch (error) {
    return { problem: { code: 'unreachable', message: `${url} did not answer: ${reasonOf(error)}` } };
  }
  try {
    return { json: JSON.parse(text) };
  } catch {
    return { problem: { code: 'nonsense', message: `${url} answered no JSON: "${text.slice(0, 40)}"` } };
  }
}
