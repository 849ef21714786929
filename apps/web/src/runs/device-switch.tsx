import type { ReactElement } from 'react';
import { SegmentedSwitch } from '../ui/segmented-switch.tsx';
import type { RunDevice } from './run-devices.ts';

type DeviceSwitchProps = {
  devices: readonly Pick<RunDevice, 'key' | 'label'>[];
  /** Key of the device that is shown. */
  value: string;
  onChange: (key: string) => void;
  label?: string;
};

/** Whose figures a panel shows. Nothing where there is one device only. */
export function DeviceSwitch({
  devices,
  value,
  onChange,
  label = 'Device',
}: DeviceSwitchProps): ReactElement | null {
  if (devices.length < 2) return null;
  return (
    <SegmentedSwitch
      label={label}
      size="sm"
      value={value}
      onChange={onChange}
      options={devices.map((device) => ({ value: device.key, label: device.label }))}
    />
  );
}
