import { deviceBoundUs } from '@mqttlab/shared/catalogue/evidence/evidence';
import { startSkew } from '@mqttlab/shared/catalogue/evidence/shaping-evidence';
import type { ClockOffset, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { formatQuantity } from '@mqttlab/shared/format/quantity';
import { type RunDevice, runDevices } from './run-devices.ts';

export interface ClockRow extends RunDevice {
  /** Server and device read one and the same clock. */
  isShared: boolean;
  /** "+1.24 ms ± 20 µs"; null where it was not compared. */
  before: string;
  after: string | null;
  /** Most that the offset used can be wrong by. */
  bound: string;
  /** What keeps the wall clock right. */
  service: string;
}

/** Every device whose clock was compared with the server's. */
export function clockRows(run: Pick<RunDetail, 'results'>): ClockRow[] {
  return runDevices(run).flatMap(({ result, ...device }) => {
    if (!result.clock) return [];
    const { before, after } = result.clock;
    return [
      {
        ...device,
        isShared: before.uncertaintyUs === 0 && (after?.uncertaintyUs ?? 0) === 0,
        before: offsetWords(before),
        after: after && offsetWords(after),
        bound: `±${inBestUnit(deviceBoundUs(result.clock))}`,
        service: serviceWords(result),
      },
    ];
  });
}

/** "All began measuring within 0.82 ms ± 20 µs: the broker first, the publisher last." Empty with one device. */
export function skewWords({ results }: Pick<RunDetail, 'results'>): string {
  const skew = startSkew({ results });
  if (skew === null) return '';
  const bound =
    skew.boundUs === null
      ? ' (by clocks that were not compared)'
      : skew.boundUs === 0
        ? ' by one clock'
        : ` ± ${inBestUnit(skew.boundUs)}`;
  return `All devices began measuring within ${inBestUnit(skew.skewUs)}${bound}: ${skew.first} first, ${skew.last} last.`;
}

function offsetWords({ offsetUs, uncertaintyUs }: ClockOffset): string {
  if (uncertaintyUs === 0) return 'one clock with the server';
  return `${formatQuantity(offsetUs / 1000, 'ms', { signed: true })} ± ${inBestUnit(uncertaintyUs)}`;
}

function inBestUnit(us: number): string {
  return formatQuantity(us / 1000, 'ms');
}

function serviceWords({ environment }: RoleResult): string {
  const service = environment['clock.service'] ?? environment['time.service'];
  if (typeof service !== 'string' || service === '') return '';
  const synchronised = environment['clock.synchronised'] ?? environment['time.synchronised'];
  return synchronised === false ? `${service}, not synchronised` : service;
}
