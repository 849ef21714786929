import type { ExternalDeviceAccess } from '../../domain/devices/external-device.ts';
import { deviceProtocolVersion, deviceTopics } from './protocol.ts';
import arduino from './templates/esp-idf.ino?raw';
import microPython from './templates/micropython.py?raw';
import python from './templates/paho.py?raw';

export interface DeviceProgram {
  label: string;
  fileName: string;
  text: string;
  /** How the program was tested. */
  tried: string;
}

const untried =
  'Written for this board, but not yet tested on it. Set the name and password of your WiFi network at the top.';

const programs = [
  {
    label: 'Python',
    fileName: (name: string) => `${name}.py`,
    template: python,
    tried: 'mqttlab’s tests run this program over plain MQTT, over TLS 1.2 and with both payload ciphers.',
  },
  { label: 'MicroPython', fileName: () => 'main.py', template: microPython, tried: untried },
  { label: 'Arduino, ESP-IDF', fileName: (name: string) => `${name}.ino`, template: arduino, tried: untried },
] as const;

/**
 * Returns complete programs for a device, with its testbed's settings filled in. `address` is the broker's
 * address.
 */
export function writeDevicePrograms(access: ExternalDeviceAccess, address: string): DeviceProgram[] {
  const { device, password, payloadKey, authority, serverName } = access;
  const { ask, tell, echo } = deviceTopics(device.name);
  // Texts are written as JSON strings, which Python and C++ also accept.
  const values: Readonly<Record<string, string>> = {
    DEVICE: device.name,
    NAME: JSON.stringify(device.name),
    PASSWORD: JSON.stringify(password),
    ADDRESS: JSON.stringify(address),
    PORT: String(device.port),
    TLS_PORT: String(device.tlsPort),
    SERVER_NAME: JSON.stringify(serverName),
    ASK: JSON.stringify(ask),
    TELL: JSON.stringify(tell),
    ECHO: JSON.stringify(echo),
    AUTHORITY: authority.trim(),
    PAYLOAD_KEY: payloadKey.trim(),
    PAYLOAD_KEY_BASE64: payloadKey.replaceAll(/-----[A-Z ]+-----|\s/g, ''),
    PROTOCOL_VERSION: String(deviceProtocolVersion),
  };
  return programs.map(({ label, fileName, template, tried }) => ({
    label,
    fileName: fileName(device.name),
    text: template.replaceAll(
      /__([A-Z0-9_]+)__/g,
      (placeholder, name: string) => values[name] ?? placeholder,
    ),
    tried,
  }));
}
