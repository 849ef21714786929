import { noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { describe, expect, it } from 'vitest';
import { toForm, toSettings } from './energy-panel.tsx';

describe('the settings of a device', () => {
  it('round-trip through the fields', () => {
    const settings = {
      energySource: 'ina2xx',
      meterUrl: 'http://192.0.2.7/',
      supplyVolts: 5.1,
      batteryMah: 10_000,
    };
    expect(toSettings(toForm(settings))).toEqual(settings);
    expect(toSettings(toForm(noDeviceSettings))).toEqual(noDeviceSettings);
  });

  it('accept a decimal comma, and leave invalid numbers to the server', () => {
    const form = { ...toForm(noDeviceSettings), supplyVolts: ' 5,1 ', batteryMah: 'much' };
    expect(toSettings(form)).toMatchObject({ supplyVolts: 5.1, batteryMah: 'much' });
  });
});
