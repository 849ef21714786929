import { join } from 'node:path';
import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { systemClock } from '../../load/pacing/clock.ts';
import { ChildRecords } from '../../processes/child-records.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import type { MeasuredDevice, MeasuredRole } from '../instrument.ts';

/** A role on this machine, on a device without sensors and capture program. `folder`: for its files. */
export function makeMeasuredRole(
  folder: string,
  {
    device = {},
    ...change
  }: Partial<Omit<MeasuredRole, 'device'>> & { device?: Partial<MeasuredDevice> } = {},
): MeasuredRole {
  return {
    device: {
      clock: systemClock,
      procRoot: '/proc',
      sysRoot: '/sys',
      records: new ChildRecords({ folder: join(folder, 'children'), procRoot: '/proc', onFailure: () => {} }),
      sensors: {
        power: { meterUrl: null, supplyVolts: null, energySource: null, batteryMah: null, found: [] },
        follow: async () => {},
        perfRefusal: 'not in tests',
        throttling: null,
        timeService: () => null,
      },
      capture: { program: null, refusal: null },
      ...device,
    },
    capabilities: makeCapabilities('broker'),
    link: { name: 'lo', kind: 'loopback', address: '127.0.0.1', up: true },
    spec: makeTestSpec(),
    clock: { offsetUs: 0, uncertaintyUs: 0 },
    energySource: null,
    filesFolder: join(folder, 'files'),
    milestone: () => {},
    onFailure: () => {},
    ...change,
  };
}
