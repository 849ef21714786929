import * as z from 'zod';
import { within } from '../domain/bounds.ts';

/** In the answer to the WebSocket handshake of an agent: settings of its device, before it says what it can do. */
export const agentSettingsHeader = 'x-mqttlab-settings';

const meterUrlSchema = z
  .string()
  .trim()
  .max(300)
  .superRefine((text, { addIssue }) => {
    const url = URL.parse(text);
    if (url === null || !/^(https?|mqtt):$/.test(url.protocol)) {
      addIssue(
        'is not the address of a meter; write it like http://192.168.1.7 or mqtt://192.168.1.2/plug/power',
      );
    } else if (url.username !== '' || url.password !== '') {
      addIssue('is shown in every result: leave out name and password');
    } else if (url.protocol === 'mqtt:' && url.pathname.length <= 1) {
      addIssue('has no topic; write it like mqtt://192.168.1.2/plug/power');
    }
  });

/** What a person says about a device, which it cannot find out itself. null: nothing was said. */
export const deviceSettingsSchema = z.strictObject({
  /** Id of the energy source that is used; null: the best that answers. */
  energySource: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'is not an energy source')
    .nullable()
    .default(null),
  /** Of a plug or meter that feeds it. */
  meterUrl: meterUrlSchema.nullable().default(null),
  /** Of its supply: turns energy into charge. */
  supplyVolts: within(z.number(), 0.5, 1000).nullable().default(null),
  /** Of the battery that it runs on. */
  batteryMah: within(z.number(), 1, 10_000_000).nullable().default(null),
});

export type DeviceSettings = z.infer<typeof deviceSettingsSchema>;

export const noDeviceSettings: DeviceSettings = {
  energySource: null,
  meterUrl: null,
  supplyVolts: null,
  batteryMah: null,
};

/** In letters that a header may have (RFC 9110 section 5.5). */
export function packDeviceSettings(settings: DeviceSettings): string {
  return encodeURIComponent(JSON.stringify(settings));
}

/** null for what cannot be read; settings that a newer server has beside these are left out. */
export function unpackDeviceSettings(text: string): DeviceSettings | null {
  try {
    return z.object(deviceSettingsSchema.shape).parse(JSON.parse(decodeURIComponent(text)));
  } catch {
    return null;
  }
}
