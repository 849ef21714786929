import type { ExternalDeviceAccess } from '../../domain/devices/external-device.ts';
import { deviceTopics } from './protocol.ts';
import { writePythonProgram } from './python-program.ts';

export interface DeviceProgramSettings {
  access: ExternalDeviceAccess;
  /** Of the broker, as the device reaches it. */
  address: string;
  ask: string;
  tell: string;
}

export interface DeviceProgram {
  /** "Python, paho-mqtt" */
  label: string;
  fileName: string;
  text: string;
}

const writers = [{ label: 'Python, paho-mqtt', extension: 'py', write: writePythonProgram }] as const;

/** Ready programs for a device, with everything filled in that its testbed says. Pure. */
export function writeDevicePrograms(access: ExternalDeviceAccess, address: string): DeviceProgram[] {
  const { name } = access.device;
  const settings = { access, address, ...deviceTopics(name) };
  return writers.map(({ label, extension, write }) => ({
    label,
    fileName: `${name}.${extension}`,
    text: write(settings),
  }));
}
