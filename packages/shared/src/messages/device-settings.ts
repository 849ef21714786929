import * as z from 'zod';
import { within } from '../domain/bounds.ts';

/** Header in the response to an agent's WebSocket handshake: settings of its device, before it announces capabilities. */
export const agentSettingsHeader = 'x-mqttlab-settings';

const meterUrlSchema = z
  .string()
  .trim()
  .max(300)
  .superRefine((text, { addIssue }) => {
    const url = URL.parse(text);
    if (url === null || !/^(https?|mqtt):$/.test(url.protocol)) {
      addIssue('is not a meter address; use the form http://192.168.1.7 or mqtt://192.168.1.2/plug/power');
    } else if (url.username !== '' || url.password !== '') {
      addIssue('is shown in every result, so remove the user name and password');
    } else if (url.protocol === 'mqtt:' && url.pathname.length <= 1) {
      addIssue('has no topic; use the form mqtt://192.168.1.2/plug/power');
    }
  });

/** Settings that the device cannot detect; null if not set. */
export const deviceSettingsSchema = z.strictObject({
  /** Id of the energy source to use; null for the best source that responds. */
  energySource: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'is not an energy source')
    .nullable()
    .default(null),
  /** Address of the plug or meter that supplies the device. */
  meterUrl: meterUrlSchema.nullable().default(null),
  /** Supply voltage of the device, to convert energy to charge. */
  supplyVolts: within(z.number(), 0.5, 1000).nullable().default(null),
  /** Capacity of the device's battery. */
  batteryMah: within(z.number(), 1, 10_000_000).nullable().default(null),
});

export type DeviceSettings = z.infer<typeof deviceSettingsSchema>;

export const noDeviceSettings: DeviceSettings = {
  energySource: null,
  meterUrl: null,
  supplyVolts: null,
  batteryMah: null,
};

/** Encodes settings in characters allowed in a header (RFC 9110 section 5.5). */
export function packDeviceSettings(settings: DeviceSettings): string {
  return encodeURIComponent(JSON.stringify(settings));
}

/** Decodes settings; returns null if they are unreadable. Ignores unknown settings from a newer server. */
export function unpackDeviceSettings(text: string): DeviceSettings | null {
  try {
    return z.object(deviceSettingsSchema.shape).parse(JSON.parse(decodeURIComponent(text)));
  } catch {
    return null;
  }
}
