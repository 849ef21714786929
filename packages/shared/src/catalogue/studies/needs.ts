import { bridgeRoles as neededForBridge } from '../../domain/devices/device.ts';
import type { StudyNeed } from './study.ts';

/** Energy of another quality is still measured, and named. */
export const measuredEnergy: StudyNeed = {
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

export const hardwareCounters: StudyNeed = {
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

export const bridgeRoles: StudyNeed = {
  label: 'A bridge and a cloud broker',
  refuse: ({ roles }) => {
    const missing = neededForBridge.filter((role) => !roles.includes(role));
    return missing.length === 0
      ? null
      : {
          reason: `no device plays the ${missing.join(' or the ')}: messages go straight to the subscriber`,
          remedy: 'Give these roles to devices on the Devices page, or choose the built-in testbed.',
        };
  },
};
