import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { within } from '@mqttlab/shared/kit/waiting';
import type { Progress } from '@mqttlab/shared/messages/agent';
import { emptyLoadResult, type LoadResult } from '../load-process/worker-messages.ts';

const finishPatienceMs = 3_000;

/** What the worker has, or nothing when it is gone or does not answer. */
export async function readLoadResult(finish: () => Promise<LoadResult>): Promise<LoadResult> {
  try {
    return await within(finishPatienceMs, () => new Error('it did not answer'), finish());
  } catch (error) {
    return { ...emptyLoadResult, degraded: [{ collector: 'load', reason: reasonOf(error) }] };
  }
}

/** Returns a result in which nothing was measured. */
export function makeEmptyResult(role: RoleResult['role']): RoleResult {
  const { facts: _none, ...load } = emptyLoadResult;
  return {
    ...load,
    role,
    device: '',
    share: { index: 0, of: 1 },
    upstream: null,
    bridge: null,
    energy: null,
    perf: null,
    clock: null,
    shaping: [],
    tcp: null,
    series: [],
    environment: {},
    log: [],
    failure: null,
  };
}

/** So that the traffic takes this link and no other; loopback leads nowhere else, and to an external broker not at all. */
export function bindTo(link: NetworkInterface): { localAddress?: string } {
  return link.kind === 'loopback' ? {} : { localAddress: link.address };
}

type Told = Pick<Progress, 'atMs' | 'latencyMs' | 'messagesPerSecond' | 'wireBytesPerSecond'>;

/** What each progress frame says of the load, kept as series: [name, unit, value]. */
const kept: readonly [string, string, (progress: Told) => number | null][] = [
  ['latency.p5', 'ms', ({ latencyMs }) => latencyMs?.p5 ?? null],
  ['latency.p50', 'ms', ({ latencyMs }) => latencyMs?.p50 ?? null],
  ['latency.p95', 'ms', ({ latencyMs }) => latencyMs?.p95 ?? null],
  ['messages.rate', 'msg/s', ({ messagesPerSecond }) => messagesPerSecond],
  ['wire.rate', 'B/s', ({ wireBytesPerSecond }) => wireBytesPerSecond],
];

/** The load's second-by-second figures, so that what was shown live can be seen again. */
export class ProgressSeries {
  readonly #told: Told[] = [];

  add(progress: Told): void {
    this.#told.push(progress);
  }

  /** Series without a single value are left out. */
  results(): Series[] {
    return kept.flatMap(([metric, unit, pick]) => {
      const values = this.#told.map(pick);
      if (values.every((value) => value === null)) return [];
      return [{ metric, unit, timesMs: this.#told.map(({ atMs }) => atMs), values }];
    });
  }
}
