import * as z from 'zod';
import type { EnergySourceDefinition } from '../energy-source.ts';
import { makeHttpMeterSource } from './http-meter.ts';
import { plugCovers, plugIntervalMs } from './smart-plug.ts';

/** Switch.GetStatus of the Gen2 RPC API, also of Gen3 and Gen4; `aenergy` is rounded to watt-hours per minute. */
const answer = z.object({ apower: z.number() });

export const shellyGen2: EnergySourceDefinition = {
  id: 'shelly-gen2',
  label: 'Shelly Plus, Pro, Gen3 (second generation and later)',
  quality: 'measured',
  covers: plugCovers,
  needsAddress: true,
  minIntervalMs: plugIntervalMs,
  model: null,
  make: (environment) =>
    makeHttpMeterSource(environment, {
      name: 'Shelly',
      path: '/rpc/Switch.GetStatus?id=0',
      schema: answer,
      powerW: ({ apower }) => apower,
    }),
};
