import { expect, test } from 'vitest';
import { runCommand } from '../processes/programs.ts';
import { readTimeService } from './sensors.ts';

/** Only these programs are installed. */
const device = (programs: Readonly<Record<string, string>>) => (program: string) => {
  const text = programs[program];
  return text === undefined ? Promise.reject(new Error(`spawn ${program} ENOENT`)) : Promise.resolve(text);
};

const tracking =
  'C0248F82,ntp1.example.net,2,1790000000.123456789,0.000012000,-0.000004000,0.000030000,-12.5,0.001,0.05,0.008000000,0.000500000,64.2,Normal\n';

test('chrony reports its maximum error', async () => {
  expect(await readTimeService(device({ chronyc: tracking }))).toEqual({
    service: 'chrony',
    synchronised: true,
    estimatedErrorMs: expect.closeTo(0.012 + 4 + 0.5, 9),
  });
  const lost = tracking.replace('Normal', 'Not synchronised');
  expect(await readTimeService(device({ chronyc: lost }))).toEqual({
    service: 'chrony',
    synchronised: false,
    estimatedErrorMs: null,
  });
});

test('ntpd and systemd are queried if chrony is not installed', async () => {
  const ntpq =
    'associd=0 status=0615 leap_none, sync_ntp,\noffset=-0.250, rootdelay=8.000, rootdisp=1.500, leap=00\n';
  expect(await readTimeService(device({ ntpq }))).toEqual({
    service: 'ntpd',
    synchronised: true,
    estimatedErrorMs: 5.75,
  });
  const timedatectl = 'Timezone=Etc/UTC\nNTP=yes\nNTPSynchronized=no\n';
  expect(await readTimeService(device({ timedatectl }))).toEqual({
    service: 'systemd-timesyncd',
    synchronised: false,
    estimatedErrorMs: null,
  });
});

test('no answer, or a malformed one, means that there is no time service', async () => {
  expect(await readTimeService(device({}))).toBeNull();
  expect(
    await readTimeService(device({ chronyc: '506 Cannot talk to daemon\n', timedatectl: 'x' })),
  ).toBeNull();
});

test('this machine answers, whatever is installed', async () => {
  const service = await readTimeService(runCommand);
  expect(service === null || service.service.length > 2).toBe(true);
});
