import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import { emptyLoadResult, type LoadResult } from '../load-process/worker-messages.ts';
import { reasonOf } from './run-failure.ts';

const finishPatienceMs = 3_000;

/** What the worker has, or nothing when it is gone or does not answer. */
export async function readLoadResult(finish: () => Promise<LoadResult>): Promise<LoadResult> {
  let impatience: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    impatience = setTimeout(() => reject(new Error('it did not answer')), finishPatienceMs);
  });
  try {
    return await Promise.race([finish(), tooLong]);
  } catch (error) {
    return { ...emptyLoadResult, degraded: [{ collector: 'load', reason: reasonOf(error) }] };
  } finally {
    clearTimeout(impatience);
  }
}

/** So that the traffic takes this link and no other; loopback leads nowhere else, and to an external broker not at all. */
export function bindTo(link: NetworkInterface | null): { localAddress?: string } {
  return link === null || link.kind === 'loopback' ? {} : { localAddress: link.address };
}
