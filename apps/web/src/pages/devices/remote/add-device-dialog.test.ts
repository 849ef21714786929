import { describe, expect, it } from 'vitest';
import { addressProblems } from './add-device-dialog.tsx';

const good = { name: 'pi-kitchen', host: '192.168.1.5', port: '22', user: 'pi' };

describe('the address of a device', () => {
  it.each([{}, { host: 'raspberrypi.local' }, { host: 'fe80::1%eth0' }, { port: '2222' }])(
    'may be %o',
    (change) => {
      expect(addressProblems({ ...good, ...change })).toEqual({});
    },
  );

  it.each([
    ['name', ''],
    ['name', '-x'],
    ['host', 'pi; reboot'],
    ['host', ''],
    ['port', '0'],
    ['port', 'ssh'],
    ['port', '65536'],
    ['user', 'Pi'],
    ['user', '$(id)'],
  ])('names %s when it is "%s"', (field, text) => {
    const problems = addressProblems({ ...good, [field]: text });
    expect(Object.keys(problems)).toEqual([field]);
    expect(problems[field]?.what).toMatch(/^[A-Z].*\.$/);
  });
});
