import { parseArgs } from 'node:util';
import type { BenchRow } from './bench-row.ts';
import { benchBridge } from './bridge.ts';
import { benchCaptureLatency } from './capture-latency.ts';
import { benchConnectionMemory } from './connection-memory.ts';
import { benchCrypto } from './crypto.ts';
import { benchFanOut } from './fan-out.ts';
import { benchGenerator } from './generator.ts';
import { benchHandshakes } from './handshakes.ts';
import { benchLoad } from './load.ts';
import { benchPacing } from './pacing.ts';
import { printRows } from './print-rows.ts';
import { benchSampler } from './sampler.ts';
import { benchSubscriber } from './subscriber.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    repetitions: { type: 'string', default: '3' },
  },
});
const parts: Readonly<Record<string, (repetitions: number) => Promise<BenchRow[]>>> = {
  generator: benchGenerator,
  subscriber: benchSubscriber,
  pacing: benchPacing,
  handshakes: benchHandshakes,
  'fan-out': benchFanOut,
  memory: benchConnectionMemory,
  capture: benchCaptureLatency,
  sampler: benchSampler,
  crypto: benchCrypto,
  bridge: benchBridge,
};
const bench = values.only === undefined ? benchLoad : parts[values.only];
if (bench === undefined) throw new Error(`--only takes one of ${Object.keys(parts).join(', ')}`);
const rows = await bench(Number(values.repetitions));
if (values.json) console.log(JSON.stringify(rows, null, 2));
else printRows(rows);
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
