import type { BenchRow } from './bench-row.ts';
import { benchBridge } from './bridge.ts';
import { benchCaptureLatency } from './capture-latency.ts';
import { benchConnectionMemory } from './connection-memory.ts';
import { benchCrypto } from './crypto.ts';
import { benchFanOut } from './fan-out.ts';
import { benchGenerator } from './generator.ts';
import { benchHandshakes } from './handshakes.ts';
import { benchPacing } from './pacing.ts';
import { benchSampler } from './sampler.ts';
import { benchSubscriber } from './subscriber.ts';

/** Everything about the load worker; some five minutes with three repetitions, most of it for the ciphers. */
export async function benchLoad(repetitions = 3): Promise<BenchRow[]> {
  return [
    ...(await benchGenerator(repetitions)),
    ...(await benchSubscriber(repetitions)),
    ...(await benchPacing(repetitions)),
    ...(await benchHandshakes(repetitions)),
    ...(await benchFanOut(repetitions)),
    ...(await benchConnectionMemory()),
    ...(await benchCaptureLatency(repetitions)),
    ...(await benchCrypto(repetitions)),
    ...(await benchBridge(repetitions)),
    ...(await benchSampler(repetitions)),
  ];
}
