import * as z from 'zod';
import type { EnergySourceDefinition } from '../energy-source.ts';
import { makeHttpMeterSource } from './http-meter.ts';
import { plugCovers, plugIntervalMs } from './smart-plug.ts';

/** `total` counts watt-minutes, too coarse for a Run. A meter that finds itself invalid has nothing to say. */
const answer = z.object({ power: z.number(), is_valid: z.literal(true) });

export const shellyGen1: EnergySourceDefinition = {
  id: 'shelly-gen1',
  label: 'Shelly Plug, 1PM (first generation)',
  quality: 'measured',
  covers: plugCovers,
  needsAddress: true,
  minIntervalMs: plugIntervalMs,
  model: null,
  make: (environment) =>
    makeHttpMeterSource(environment, {
      name: 'Shelly',
      path: '/meter/0',
      schema: answer,
      powerW: ({ power }) => power,
    }),
};
