import * as z from 'zod';
import type { EnergySourceDefinition } from '../energy-source.ts';
import { makeHttpMeterSource } from './http-meter.ts';
import { plugCovers, plugIntervalMs } from './smart-plug.ts';

/** Plugs with several sockets give one figure for each. */
const answer = z.object({
  StatusSNS: z.object({ ENERGY: z.object({ Power: z.union([z.number(), z.array(z.number()).min(1)]) }) }),
});

export const tasmota: EnergySourceDefinition = {
  id: 'tasmota',
  label: 'Plug with Tasmota',
  quality: 'measured',
  covers: plugCovers,
  needsAddress: true,
  minIntervalMs: plugIntervalMs,
  model: null,
  make: (environment) =>
    makeHttpMeterSource(environment, {
      name: 'Tasmota plug',
      path: '/cm?cmnd=Status%208',
      schema: answer,
      powerW: ({ StatusSNS: { ENERGY } }) => [ENERGY.Power].flat().reduce((sum, power) => sum + power, 0),
    }),
};
