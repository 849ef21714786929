import { expect, test } from 'vitest';
import type { RadioState } from '../../domain/runs/radio.ts';
import { radioState as state } from '../../testing/captures.ts';
import { makeRoleResult, makeTrialSpec } from '../../testing/factories.ts';
import { radioSteady } from '../verdicts/radio-steady.ts';
import { radioRows } from './radio-evidence.ts';

const withRadio = (after: Partial<RadioState> | null, before: Partial<RadioState> = {}) =>
  makeRoleResult({
    role: 'publisher',
    radio: { interface: 'wlan0', before: { ...state, ...before }, after: after && { ...state, ...after } },
  });
const judge = (...results: ReturnType<typeof withRadio>[]) =>
  radioSteady.judge({ spec: makeTrialSpec(), results });

test('a radio link that changed flags the run, with what changed', () => {
  expect(judge(withRadio({}))).toEqual({
    status: 'passed',
    evidence: 'publisher: wlan0 on channel 36, 5 GHz, 80 MHz wide, PHY rate 433 to 433 Mbit/s',
  });
  // A step or two is no other link.
  expect(judge(withRadio({ transmitMbit: 292.5 })).status).toBe('passed');
  expect(judge(withRadio({}), withRadio({ transmitMbit: 58.5 }))).toEqual({
    status: 'failed',
    evidence: 'publisher: PHY rate of wlan0 fell from 433 to 58.5 Mbit/s',
  });
  expect(judge(withRadio({ channel: 1, frequencyMhz: 2412, widthMhz: 20 }))).toEqual({
    status: 'failed',
    evidence: 'publisher: wlan0 changed from channel 36, 5 GHz, 80 MHz wide to 1, 2.4 GHz, 20 MHz wide',
  });
  expect(judge(withRadio({ connected: false })).evidence).toBe(
    'publisher: wlan0 was disconnected from its access point',
  );
});

test('unreported values are not judged', () => {
  const silent = { channel: null, frequencyMhz: null, widthMhz: null, transmitMbit: null };
  expect(judge(withRadio(silent, silent)).status).toBe('not applicable');
  expect(judge(withRadio(null)).status).toBe('not applicable');
  expect(judge(makeRoleResult())).toEqual({
    status: 'not applicable',
    evidence: 'no wireless interface was used',
  });
});

test('before and after stand side by side', () => {
  const rows = radioRows([makeRoleResult(), withRadio({ signalDbm: -80, retries: 310 })]);
  expect(rows.map(({ what, before, after }) => [what, before, after])).toEqual([
    ['Channel', '36, 5 GHz, 80 MHz wide', '36, 5 GHz, 80 MHz wide'],
    ['Signal', '−52.0 dBm', '−80.0 dBm'],
    ['Transmit power', '31.0 dBm', '31.0 dBm'],
    ['PHY rate, sending', '433 Mbit/s', '433 Mbit/s'],
    ['PHY rate, receiving', '390 Mbit/s', '390 Mbit/s'],
    ['Retries so far', '207', '310'],
    ['Failed so far', 'unknown', 'unknown'],
  ]);
});

test('of several runs there is one row for each device, from the least to the most', () => {
  const rows = radioRows([
    withRadio({ signalDbm: -80 }),
    withRadio({ channel: 1, frequencyMhz: 2412 }),
    withRadio(null),
  ]);
  expect(rows.slice(0, 2)).toEqual([
    {
      device: 'publisher, wlan0',
      what: 'Channel',
      before: '36, 5 GHz, 80 MHz wide',
      after: '36, 5 GHz, 80 MHz wide · 1, 2.4 GHz, 80 MHz wide',
    },
    { device: 'publisher, wlan0', what: 'Signal', before: '−52.0 dBm', after: '−80.0 to −52.0 dBm' },
  ]);
});
