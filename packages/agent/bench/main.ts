import { parseArgs } from 'node:util';
import { type BenchRow, formatRows } from '@mqttlab/shared/testing/bench';
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

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    repetitions: { type: 'string', default: '3' },
  },
});
/** Takes about five minutes with three repetitions, mostly for the ciphers. */
const parts: Readonly<Record<string, (repetitions: number) => Promise<BenchRow[]>>> = {
  generator: benchGenerator,
  subscriber: benchSubscriber,
  pacing: benchPacing,
  handshakes: benchHandshakes,
  'fan-out': benchFanOut,
  memory: benchConnectionMemory,
  capture: benchCaptureLatency,
  crypto: benchCrypto,
  bridge: benchBridge,
  sampler: benchSampler,
};
const { only } = values;
if (only !== undefined && parts[only] === undefined) {
  throw new Error(`--only accepts one of ${Object.keys(parts).join(', ')}`);
}
const rows: BenchRow[] = [];
for (const [name, bench] of Object.entries(parts)) {
  if (only === undefined || only === name) rows.push(...(await bench(Number(values.repetitions))));
}
if (values.json) console.log(JSON.stringify(rows, null, 2));
else for (const line of formatRows(rows)) console.log(line);
process.exitCode = rows.some(({ met }) => met === false) ? 1 : 0;
