import { packetCapture } from './capture/packet-capture.ts';
import { deviceCpu, processCpu } from './cpu.ts';
import { energy } from './energy/energy-meter.ts';
import { environment } from './environment.ts';
import type { MakeInstrument } from './instrument.ts';
import { memory } from './memory.ts';
import { linkWatch, network } from './network.ts';
import { perfCounters } from './perf-counters.ts';
import { radio } from './radio.ts';
import { temperature, throttling } from './thermal.ts';

/** Every instrument. This is also the order of their series in a result. */
export const instruments: readonly MakeInstrument[] = [
  environment,
  processCpu,
  memory,
  deviceCpu,
  network,
  temperature,
  radio,
  energy,
  perfCounters,
  throttling,
  linkWatch,
  packetCapture,
];
