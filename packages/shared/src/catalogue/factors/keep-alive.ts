import * as z from 'zod';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';
import { isOverMqtt } from './application-protocol.ts';
import { processClientsOf } from './client.ts';

const off = 0;
/** Maximum of the two-byte field in CONNECT. */
const maxSeconds = 65_535;

export const keepAlive: OptionFactor<number> = makeOptionFactor({
  id: 'keepAlive',
  label: 'Keep-alive',
  group: 'message',
  audience: 'expert',
  help: 'A client that has sent nothing for half of this time sends PINGREQ (MQTT 5 section 3.1.2.10). A short keep-alive costs traffic and wake-ups on idle connections, but the broker detects a lost connection sooner. 0 means no keep-alive.',
  unit: 's',
  schema: z.int().min(off).max(maxSeconds),
  neutral: off,
  input: { kind: 'number', min: off, max: maxSeconds, integer: true, presets: [off, 2, 10, 60] },
  defaultLevel: () => off,
  options: (testbed) =>
    [off, 2, 10, 60].map((value) => ({ value, refusal: keepAlive.refuse(value, {}, testbed) })),
  levelLabel: (value) => (value === off ? 'no keep-alive' : `keep-alive ${value} s`),
  shortLabel: (value) => (value === off ? 'no keep-alive' : `keep-alive ${value} s`),
  applies: isOverMqtt,
  refuse: (value, levels) =>
    value !== off && processClientsOf(levels) !== null
      ? {
          reason: `${processClientsOf(levels)?.name} run without keep-alive, so that no ping disturbs a measurement`,
          remedy: 'Choose the native client.',
        }
      : null,
});
