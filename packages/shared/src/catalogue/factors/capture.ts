import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { Levels, Refusal } from '../../domain/factor.ts';
import { type CaptureLevel, captureLevels } from '../../domain/runs/capture.ts';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';
import { isOverMqtt } from './application-protocol.ts';

/** Remedy if a device cannot capture; the pre-flight check shows the same text. */
export const captureRemedy =
  'Install tcpdump on the broker’s device. Run the agent there as root, or give tcpdump the capabilities: setcap cap_net_raw,cap_net_admin+ep.';

const words: Readonly<Record<CaptureLevel, string>> = {
  none: 'no capture',
  headers: 'headers captured',
  full: 'packets captured',
};

/**
 * Whether packets are captured on the broker's device. This is a factor so that the cost of capturing can
 * also be measured.
 */
export const capture: OptionFactor<CaptureLevel> = makeOptionFactor({
  id: 'capture',
  label: 'Packet capture',
  group: 'system',
  audience: 'expert',
  help: 'Stores the packets at the broker’s port with each run, so that you can open them in Wireshark. Stores the first 256 bytes of each packet (headers) or complete packets (full), at most 32 MiB per run. A message in a TLS record that was cut cannot be decrypted, so use full to read messages. Capturing uses CPU time on the broker’s device.',
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
      remedy: 'Choose a broker that mqttlab starts for the run.',
    };
  }
  if (captureRefusal === null) return null;
  return { reason: `the broker’s device cannot capture packets: ${captureRefusal}`, remedy: captureRemedy };
}
