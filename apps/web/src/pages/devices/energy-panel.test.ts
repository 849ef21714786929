import { noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { describe, expect, it } from 'vitest';
import { toForm, toSettings } from './energy-panel.tsx';

describe('the settings of a device', () => {
  it('survive their way through the fields', () => {
    const settings = {
      energySource: 'ina2xx',
      meterUrl: 'http://192.0.2.7/',
      supplyVolts: 5.1,
      batteryMah: 10_000,
    };
    expect(toSettings(toForm(settings))).toEqual(settings);
    expect(toSettings(toForm(noDeviceSettings))).toEqual(noDeviceSettings);
  });

  it('take a comma for a point, and leave to the server what is no number', () => {
    const form = { ...toForm(noDeviceSettings), supplyVolts: ' 5,1 ', batteryMah: 'much' };
    expect(toSettings(form)).toMatchObject({ supplyVolts: 5.1, batteryMah: 'much' });
  });
});
