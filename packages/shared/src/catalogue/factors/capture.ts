import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { Levels, Refusal } from '../../domain/factor.ts';
import { type CaptureLevel, captureLevels } from '../../domain/runs/capture.ts';
import { makeOptionFactor, type OptionFactor } from '../make-factor.ts';
import { isOverMqtt } from './application-protocol.ts';

/** What to do about a device that refuses to capture; the check before a start says the same. */
export const captureRemedy =
  'Install tcpdump on the device of the broker and let its agent run as root, or give the program the rights: setcap cap_net_raw,cap_net_admin+ep.';

const words: Readonly<Record<CaptureLevel, string>> = {
  none: 'no capture',
  headers: 'headers captured',
  full: 'packets captured',
};

/** Whether packets are captured at the device of the broker. A factor, so that what capturing costs can be measured too. */
export const capture: OptionFactor<CaptureLevel> = makeOptionFactor({
  id: 'capture',
  label: 'Packet capture',
  group: 'system',
  audience: 'expert',
  help: 'Keeps the packets at the port of the broker with each run, to open in Wireshark: of each packet the first 256 bytes (headers) or all of it (full), at most 32 MiB a run. Capturing takes CPU time on the device of the broker.',
  unit: null,
  schema: z.enum(captureLevels),
  neutral: 'none',
  input: { kind: 'choice' },
  defaultLevel: () => 'none',
  options: (testbed) =>
    captureLevels.map((value) => ({ value, refusal: capture.refuse(value, {}, testbed) })),
  levelLabel: (value) => words[value as CaptureLevel],
  shortLabel: (value) => words[value as CaptureLevel],
  applies: isOverMqtt,
  refuse: (value, levels, testbed) => (value === 'none' ? null : refuseCapture(levels, testbed)),
});

function refuseCapture({ broker }: Levels, { captureRefusal }: TestbedView): Refusal | null {
  if (broker === 'external') {
    return {
      reason: 'the external broker runs on a device without an agent',
      remedy: 'Choose a broker that is started for the run.',
    };
  }
  if (captureRefusal === null) return null;
  return { reason: `packets cannot be captured there: ${captureRefusal}`, remedy: captureRemedy };
}
