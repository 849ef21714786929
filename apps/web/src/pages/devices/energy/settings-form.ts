import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';

/** As it stands in the fields; empty where nothing was said. */
export interface SettingsForm {
  energySource: string;
  meterUrl: string;
  supplyVolts: string;
  batteryMah: string;
}

export function toForm({ energySource, meterUrl, supplyVolts, batteryMah }: DeviceSettings): SettingsForm {
  return {
    energySource: energySource ?? '',
    meterUrl: meterUrl ?? '',
    supplyVolts: supplyVolts === null ? '' : String(supplyVolts),
    batteryMah: batteryMah === null ? '' : String(batteryMah),
  };
}

/** What is no number is sent as it is: the server names the field. */
export function toSettings(form: SettingsForm): Record<keyof DeviceSettings, string | number | null> {
  return {
    energySource: form.energySource || null,
    meterUrl: form.meterUrl.trim() || null,
    supplyVolts: toNumber(form.supplyVolts),
    batteryMah: toNumber(form.batteryMah),
  };
}

function toNumber(text: string): number | string | null {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return null;
  return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}
