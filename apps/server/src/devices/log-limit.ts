import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';

/** Burst limit of a device's lines, and rate limit per second. */
const [burst, perSecond] = [200, 10];
/** Lines of one device that are accepted in one run. */
const maxOfRun = 1_000;
/** Maximum runs that are counted at a time: finished ones send nothing more. */
const maxRuns = 200;
/** Longer texts are truncated. */
const [maxText, maxSource] = [4_000, 100];

interface Allowance {
  lines: number;
  at: number;
  leftOut: number;
}

/** Limits the log lines of devices: a program that repeats itself must not fill the database. */
export class LogLimit {
  readonly #nowMs: () => number;
  readonly #devices = new Map<string, Allowance>();
  readonly #runs = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns the lines to log for this line: the line, shortened if long, and how many lines were omitted. */
  take(from: { deviceId: string; name: string; runId: number | null }, line: LogLine): LogLine[] {
    const { deviceId, name, runId } = from;
    const cut = { ...line, text: line.text.slice(0, maxText), source: line.source.slice(0, maxSource) };
    const say = (text: string): LogLine => ({ at: line.at, level: 'warn', source: 'server', text });
    const allowance = this.#refill(deviceId);
    if (allowance.lines < 1) {
      allowance.leftOut += 1;
      if (allowance.leftOut > 1) return [];
      return [say(`${name} logs more than ${perSecond} lines a second; excess lines are dropped`)];
    }
    const inRun = runId === null ? 0 : this.#countInRun(`${deviceId} ${runId}`);
    if (inRun > maxOfRun + 1) return [];
    if (inRun === maxOfRun + 1)
      return [say(`${name} logged ${maxOfRun} lines in run ${runId}; later lines are dropped`)];
    allowance.lines -= 1;
    const { leftOut } = allowance;
    allowance.leftOut = 0;
    return [...(leftOut > 0 ? [say(`${leftOut} lines of ${name} were dropped here`)] : []), cut];
  }

  #refill(deviceId: string): Allowance {
    const now = this.#nowMs();
    const allowance = this.#devices.get(deviceId) ?? { lines: burst, at: now, leftOut: 0 };
    const passedMs = Math.max(0, now - allowance.at);
    allowance.lines = Math.min(burst, allowance.lines + (passedMs / 1000) * perSecond);
    allowance.at = now;
    this.#devices.set(deviceId, allowance);
    return allowance;
  }

  #countInRun(key: string): number {
    const count = (this.#runs.get(key) ?? 0) + 1;
    this.#runs.delete(key);
    this.#runs.set(key, count);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > maxRuns && oldest !== undefined) this.#runs.delete(oldest);
    return count;
  }
}
