import type { ReactElement } from 'react';
import { PickMenu } from '../../ui/input/pick.tsx';
import { SegmentedSwitch } from '../../ui/input/segmented-switch.tsx';
import type { RunDevice } from './models/run-devices.ts';

type DeviceSwitchProps = {
  devices: readonly Pick<RunDevice, 'key' | 'label' | 'host'>[];
  /** Key of the device that is shown. */
  value: string;
  onChange: (key: string) => void;
  label?: string;
};

/** More do not fit beside each other. */
const maxInARow = 4;

/** Whose figures a panel shows. Nothing where there is one device only. */
export function DeviceSwitch({
  devices,
  value,
  onChange,
  label = 'Device',
}: DeviceSwitchProps): ReactElement | null {
  if (devices.length < 2) return null;
  if (devices.length > maxInARow) {
    const options = devices.map(({ key, label: name, host }) => ({
      value: key,
      label: `${name} ${host}`.trimEnd(),
    }));
    return <PickMenu label={label} value={value} onChange={onChange} options={options} />;
  }
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
