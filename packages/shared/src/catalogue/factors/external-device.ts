import type { ExternalDevice } from '../../domain/devices/external-device.ts';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorValue, Levels, Refusal } from '../../domain/factor.ts';
import { stampBytes, type WorkloadKind } from '../../domain/plans/trial-spec.ts';
import { deviceCiphers } from '../external-device/protocol.ts';

/** The only levels that its programs know, where another was chosen: factor, levels, what it does, remedy. */
type Only = readonly (readonly [string, readonly FactorValue[], string, string])[];

const only: Only = [
  ['mqttVersion', ['3.1.1'], 'speaks MQTT 3.1.1', 'Choose MQTT 3.1.1'],
  ['broker', ['mosquitto'], 'logs in at Mosquitto, which is started for the run', 'Choose Mosquitto'],
  ['transport', ['tcp'], 'connects over TCP', 'Choose TCP'],
  ['connectionUse', ['kept'], 'keeps its connection', 'Choose a kept connection'],
  ['clientCertificate', ['none'], 'logs in by its password', 'Choose no client certificate'],
  ['session', ['full'], 'makes full handshakes', 'Choose full handshakes'],
  [
    'sharedSubscription',
    ['each gets all'],
    'is counted by subscribers of their own',
    'Choose subscriptions of their own',
  ],
  ['payloadEncoding', ['binary'], 'sends binary payloads', 'Choose binary payloads'],
  ['alterEvery', [0], 'alters no message', 'Choose 0'],
  ['topology', ['direct'], 'publishes to the broker directly', 'Choose the direct topology'],
  ['delay', [0], 'is reached over a link that no agent impairs', 'Choose no delay'],
  ['jitter', [0], 'is reached over a link that no agent impairs', 'Choose no jitter'],
  ['loss', [0], 'is reached over a link that no agent impairs', 'Choose no loss'],
  ['rateLimit', ['none'], 'is reached over a link that no agent impairs', 'Choose no rate limit'],
  ['aesInstructions', ['used'], 'computes as its program does', 'Leave the AES instructions as they are'],
  ['keepAlive', [0], 'keeps its connection alive as its program does', 'Choose no keep-alive'],
];

/** Besides, in each role. */
const onlyAs: Readonly<Record<ExternalDevice['role'], Only>> = {
  publisher: [
    ['publishers', [1], 'is one publisher', 'Choose 1 publisher'],
    [
      'payloadCipher',
      ['none', ...deviceCiphers],
      'encrypts payloads with ECDH P-256 and AES-128 only',
      'Choose one of these two, or no payload cipher',
    ],
  ],
  subscriber: [
    ['subscribers', [1], 'is one subscriber', 'Choose 1 subscriber'],
    ['payloadCipher', ['none'], 'sends back payloads as they are', 'Choose no payload cipher'],
  ],
};

/** What a device that cannot run the agent cannot do. */
export function refuseExternalDevice(levels: Levels, { externalDevice }: TestbedView): Refusal | null {
  if (externalDevice === null) {
    return {
      reason: 'this testbed has no external device',
      remedy: 'Set it up on the Devices page, or choose another client.',
    };
  }
  for (const [factor, possible, does, remedy] of [...only, ...onlyAs[externalDevice.role]]) {
    const level = levels[factor] ?? null;
    if (level !== null && !possible.includes(level)) {
      return { reason: `${externalDevice.name} ${does}`, remedy: `${remedy}, or another client.` };
    }
  }
  if (levels.rate === 'max' && externalDevice.role === 'publisher') {
    return {
      reason: `${externalDevice.name} sends on a schedule`,
      remedy: 'Choose a rate, or another client.',
    };
  }
  const { readingBytes, readingsPerMessage } = levels;
  const bytes = Number(readingBytes ?? stampBytes) * Number(readingsPerMessage ?? 1);
  if (bytes >= stampBytes) return null;
  return {
    reason: `a payload of ${bytes} B has no room for the stamp of ${stampBytes} B`,
    remedy: `Send at least ${stampBytes} B in a message, or choose another client.`,
  };
}

export function refuseExternalWorkload(workload: WorkloadKind): Refusal | null {
  if (workload === 'stream') return null;
  return {
    reason: 'a device without an agent takes part in streams only',
    remedy: 'Choose the workload “stream”, or another client.',
  };
}
