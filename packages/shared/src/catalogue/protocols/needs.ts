import type { ProtocolNeed } from './protocol.ts';

/** Energy of another quality is still measured, and named. */
export const measuredEnergy: ProtocolNeed = {
  label: 'Energy from a meter',
  refuse: ({ clientDevices }) =>
    clientDevices.length > 0 &&
    clientDevices.every(({ energy }) => energy.some(({ quality }) => quality === 'measured'))
      ? null
      : {
          reason: 'no meter is attached; energy is modelled from CPU time or read on board, or missing',
          remedy: 'Import the readings of a meter on the run page, or attach one.',
        },
};

export const hardwareCounters: ProtocolNeed = {
  label: 'Hardware counters (cycles, instructions, cache)',
  refuse: ({ clientDevices }) => {
    const refusal = clientDevices.find(({ perfRefusal }) => perfRefusal !== null)?.perfRefusal;
    return refusal === undefined || refusal === null
      ? null
      : {
          reason: `the kernel gives none: ${refusal}`,
          remedy: 'Allow perf_event_open(2) on the devices; CPU time is measured all the same.',
        };
  },
};
