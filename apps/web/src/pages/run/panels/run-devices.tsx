import { endsEarly } from '@mqttlab/shared/catalogue/workloads';
import { type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type ReactNode, useState } from 'react';
import { roleNames } from '../../../live/live-series.ts';
import { PickMenu } from '../../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';

/** A device in a run, named by its role, with a number if several have the role. */
export interface RunDevice {
  key: string;
  role: Role;
  /** "Publisher" or "Publisher 2". */
  label: string;
  /** Host name; empty if not reported. */
  host: string;
}

export type DeviceEvidence = Pick<RunDetail, 'results'> & Partial<Pick<RunDetail, 'devices'>>;

/** Returns the results of `read` for every device with results, in the order of roles. Skips null. */
export function readDevices<T>(
  run: DeviceEvidence,
  read: (result: RoleResult) => T | null,
): (RunDevice & T)[] {
  return roles.flatMap((role) => {
    const own = run.results.filter((result) => result.role === role);
    return own.flatMap((result, index) => {
      const device = {
        key: `${role} ${index}`,
        role,
        label: own.length === 1 ? roleNames[role] : `${roleNames[role]} ${index + 1}`,
        host: own.length === 1 ? (run.devices?.[role] ?? result.device) : result.device,
      };
      const content = read(result);
      return content === null ? [] : [{ ...device, ...content }];
    });
  });
}

/** Returns the devices that delivered results. */
export function runDevices(run: DeviceEvidence): (RunDevice & { result: RoleResult })[] {
  return readDevices(run, (result) => ({ result }));
}

/** Maximum number of devices that fit side by side. */
const maxInARow = 4;

/**
 * Returns the device shown in a panel: the selected one, the first in the `usual` role, or the first of all.
 * Also returns the switch that selects it; null if there is only one device.
 */
export function useDevice<T extends RunDevice>(
  devices: readonly T[],
  usual: Role,
  label = 'Device',
): { shown: T | undefined; deviceSwitch: ReactNode } {
  const [chosen, onChange] = useState<string | null>(null);
  const byKey = devices.find(({ key }) => key === chosen);
  const shown = byKey ?? devices.find(({ role }) => role === usual) ?? devices[0];
  const shared = { label, value: shown?.key ?? '', onChange };
  if (devices.length < 2) return { shown, deviceSwitch: null };
  if (devices.length <= maxInARow) {
    const options = devices.map((device) => ({ value: device.key, label: device.label }));
    return { shown, deviceSwitch: <SegmentedSwitch size="sm" {...shared} options={options} /> };
  }
  const options = devices.map((device) => ({
    value: device.key,
    label: `${device.label} ${device.host}`.trimEnd(),
  }));
  return { shown, deviceSwitch: <PickMenu {...shared} options={options} /> };
}

/**
 * Returns the duration of the measure phase in seconds: the planned duration, or less if the load ended
 * earlier.
 */
export function measuredEndS({
  results,
  treatment: { spec },
}: Pick<RunDetail, 'results' | 'treatment'>): number {
  if (!endsEarly(spec)) return spec.measureMs / 1000;
  const ends = results.flatMap(({ role, phases }) =>
    phases.flatMap(({ phase, durationUs }) =>
      role === 'publisher' && phase === 'measure' ? [durationUs / 1e6] : [],
    ),
  );
  return Math.min(spec.measureMs / 1000, ends[0] ?? Number.POSITIVE_INFINITY);
}
