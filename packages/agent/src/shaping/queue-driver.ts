import type { ShapingDriver, ShapingRule } from '@mqttlab/shared/domain/plans/impairment';

/** How one queueing discipline is told what to do. */
export interface QueueDriver {
  /** Behind `tc qdisc add dev <interface> parent <class> handle <handle>`. `mtuBytes`: of that interface. */
  args(rule: ShapingRule, mtuBytes: number): string[];
}

/** So many packets may be under way: 10 s of delay at 10,000 packets/s. */
const netemPackets = 100_000;

/**
 * tc-netem(8). Delay is spread evenly over delay ± jitter, so packets may overtake each other. A packet is lost
 * where it leaves, without its sender's TCP knowing.
 */
const netem: QueueDriver = {
  args: ({ lossPercent, delayMs, jitterMs, rateMbit }) => [
    'netem',
    'limit',
    String(netemPackets),
    ...(delayMs > 0 || jitterMs > 0 ? ['delay', `${micro(delayMs)}us`] : []),
    ...(jitterMs > 0 ? [`${micro(jitterMs)}us`] : []),
    ...(lossPercent > 0 ? ['loss', 'random', `${lossPercent}%`] : []),
    ...(rateMbit === null ? [] : ['rate', bitRate(rateMbit)]),
  ],
};

/** As long as packets may wait for their turn before they are dropped: what home routers hold. */
const tbfLatencyMs = 200;
/** A burst must hold the largest packet with its Ethernet header (loopback: 64 KiB), and 10 ms of the rate. */
const headerBytes = 64;
const burstSeconds = 0.01;

/** tc-tbf(8). */
const tbf: QueueDriver = {
  args: ({ rateMbit }, mtuBytes) => {
    const mbit = rateMbit ?? 1;
    const burst = Math.max(mtuBytes + headerBytes, Math.ceil((mbit * 1e6 * burstSeconds) / 8));
    return ['tbf', 'rate', bitRate(mbit), 'burst', `${burst}b`, 'latency', `${tbfLatencyMs}ms`];
  },
};

/** Of the drivers that are queues; nftables is none. */
export const queueDrivers: Readonly<Partial<Record<ShapingDriver, QueueDriver>>> = { netem, tbf };

function micro(ms: number): number {
  return Math.round(ms * 1_000);
}

function bitRate(mbit: number): string {
  return `${Math.round(mbit * 1e6)}bit`;
}
