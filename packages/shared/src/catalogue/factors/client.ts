import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, Levels, Refusal } from '../../domain/factor.ts';
import { type ClientEngine, clientEngines, textStampBytes } from '../../domain/plans/trial-spec.ts';
import { isOverMqtt } from './application-protocol.ts';

/** Each connection is a process of its own. */
const maxProcesses = 50;

const labels: Readonly<Record<ClientEngine, string>> = {
  native: 'Native',
  'mosquitto clients': 'mosquitto_pub, mosquitto_sub',
};

/** What only our own engine does: factor, level, words. */
const nativeOnly: readonly [string, string, string][] = [
  ['transport', 'websocket', 'speak WebSocket'],
  ['session', 'resumed', 'resume sessions'],
  ['sharedSubscription', 'shared', 'be counted on a shared subscription'],
  ['connectionUse', 'one per message', 'make a connection for each message'],
];

export const client: FactorDefinition = {
  id: 'client',
  label: 'Client',
  group: 'system',
  audience: 'expert',
  help: 'Native is mqttlab’s own engine. The mosquitto clients run as measured processes; our publisher paces lines into them, and their latency includes the pipes on both sides.',
  unit: null,
  schema: z.enum(clientEngines),
  input: { kind: 'choice' },
  defaultLevel: () => 'native',
  options: (testbed) => clientEngines.map((value) => ({ value, refusal: client.refuse(value, {}, testbed) })),
  levelLabel: (value) => labels[value as ClientEngine],
  shortLabel: (value) => (value === 'native' ? 'native client' : 'mosquitto clients'),
  applies: isOverMqtt,
  refuse: (value, levels, testbed) =>
    value === 'native'
      ? null
      : (refuseDevices(levels, testbed) ?? refuseLevels(levels) ?? refuseSizes(levels)),
  refuseWorkload: (value, workload) =>
    value === 'native' || workload === 'stream' || workload === 'burst'
      ? null
      : {
          reason: `the mosquitto clients cannot carry out the workload “${workload}”`,
          remedy: 'Choose a stream or bursts, or the native client.',
        },
  apply: (spec, value) => ({ ...spec, client: (value ?? 'native') as ClientEngine }),
};

function refuseDevices({ cipherSuite, group }: Levels, testbed: TestbedView): Refusal | null {
  for (const { hostname, clients } of testbed.clientDevices) {
    const found = clients.find(({ engine }) => engine === 'mosquitto clients');
    if (found === undefined) {
      return {
        reason: `mosquitto_pub and mosquitto_sub are not on ${hostname}`,
        remedy:
          'Install them there (Debian: apt-get install mosquitto-clients), or choose the native client.',
      };
    }
    const offered = [...(found.tls?.suites ?? []), ...(found.tls?.groups ?? [])];
    const lacking = [cipherSuite, group].find(
      (name) => typeof name === 'string' && found.tls !== null && !offered.includes(name),
    );
    if (lacking !== undefined) {
      return {
        reason: `the ${found.tls?.library} of mosquitto_pub lacks ${lacking}`,
        remedy: 'Choose another one, or the native client.',
      };
    }
  }
  return null;
}

function refuseLevels(levels: Levels): Refusal | null {
  const clash = nativeOnly.find(([factor, level]) => levels[factor] === level);
  return clash
    ? { reason: `the mosquitto clients cannot ${clash[2]}`, remedy: 'Choose the native client.' }
    : null;
}

function refuseSizes({ readingBytes, readingsPerMessage, publishers, subscribers }: Levels): Refusal | null {
  const bytes = Number(readingBytes ?? textStampBytes) * Number(readingsPerMessage ?? 1);
  if (bytes < textStampBytes) {
    return {
      reason: `a payload of ${bytes} B has no room for their stamp of ${textStampBytes} B, which is text`,
      remedy: `Send at least ${textStampBytes} B in a message, or choose the native client.`,
    };
  }
  const most = Math.max(Number(publishers ?? 1), Number(subscribers ?? 1));
  return most <= maxProcesses
    ? null
    : {
        reason: `${most} connections would be ${most} processes, more than ${maxProcesses}`,
        remedy: `Choose at most ${maxProcesses}, or the native client.`,
      };
}
