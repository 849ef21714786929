import type { ExternalDeviceAccess } from '../../domain/devices/external-device.ts';
import { writeArduinoProgram } from './arduino-program.ts';
import { writeMicroPythonProgram } from './micropython-program.ts';
import { deviceTopics } from './protocol.ts';
import { writePythonProgram } from './python-program.ts';

export interface DeviceProgram {
  label: string;
  fileName: string;
  text: string;
  /** What it was held against so far. */
  tried: string;
}

const untried =
  'Written for this board, and not yet run on one by the makers of mqttlab: set name and password of your WiFi at its beginning.';

const writers = [
  {
    label: 'Python',
    fileName: (name: string) => `${name}.py`,
    write: writePythonProgram,
    tried:
      'The tests of mqttlab run this program, over plain MQTT, over TLS 1.2 and with both payload ciphers.',
  },
  { label: 'MicroPython', fileName: () => 'main.py', write: writeMicroPythonProgram, tried: untried },
  {
    label: 'Arduino, ESP-IDF',
    fileName: (name: string) => `${name}.ino`,
    write: writeArduinoProgram,
    tried: untried,
  },
] as const;

/** Ready programs for a device, with everything filled in that its testbed says. Pure. */
export function writeDevicePrograms(access: ExternalDeviceAccess, address: string): DeviceProgram[] {
  const { name } = access.device;
  const settings = { access, address, ...deviceTopics(name) };
  return writers.map(({ label, fileName, write, tried }) => ({
    label,
    fileName: fileName(name),
    text: write(settings),
    tried,
  }));
}
