import * as z from 'zod';
import type { ExternalDevice } from '../../domain/devices/external-device.ts';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue, Levels, Refusal } from '../../domain/factor.ts';
import {
  type AgentClient,
  type ClientEngine,
  clientEngines,
  stampBytes,
  textStampBytes,
} from '../../domain/plans/trial-levels.ts';
import type { WorkloadKind } from '../../domain/plans/workload.ts';
import { deviceCiphers } from '../external-device/protocol.ts';
import { isOverMqtt } from './application-protocol.ts';

type ProcessEngine = Exclude<AgentClient, 'native'>;

interface ProcessClients {
  label: string;
  /** Plural, for sentences. */
  name: string;
  install: string;
  /** Maximum number of connections, because each is a separate process. */
  mostProcesses: number;
  /** Unsupported levels besides `nativeOnly`: factor, level, words. */
  cannot: readonly (readonly [string, string, string])[];
  /** Whether the client can open and close a connection for each message and report the phases. */
  reconnects: boolean;
}

const processClients: Readonly<Record<ProcessEngine, ProcessClients>> = {
  'mosquitto clients': {
    label: 'mosquitto_pub, mosquitto_sub',
    name: 'mosquitto clients',
    install: 'Install them on that device (Debian: apt-get install mosquitto-clients)',
    mostProcesses: 50,
    cannot: [
      ['transport', 'websocket', 'use WebSocket'],
      ['connectionUse', 'one per message', 'open a connection for each message'],
      // mosquitto_pub buffers the lines that it has read, and does not report acknowledgements.
      ['rate', 'max', 'be limited to the window at full speed'],
    ],
    reconnects: false,
  },
  'mqtt.js': {
    label: 'mqtt.js',
    name: 'mqtt.js clients',
    install: 'Upgrade the agent on that device to a version that includes it',
    mostProcesses: 20,
    cannot: [],
    reconnects: true,
  },
  'paho-mqtt': {
    label: 'paho-mqtt',
    name: 'paho-mqtt clients',
    install: 'Install it on that device (Debian: apt-get install python3-paho-mqtt) and restart the agent',
    mostProcesses: 50,
    cannot: [],
    reconnects: true,
  },
};

/** Returns null for the native engine or if no client is chosen. */
export function processClientsOf(levels: Levels): ProcessClients | null {
  return processClients[levels.client as ProcessEngine] ?? null;
}

/** Levels that only the native engine supports. */
const nativeOnly: ProcessClients['cannot'] = [
  ['session', 'resumed', 'resume sessions'],
  ['sharedSubscription', 'shared', 'be counted on a shared subscription'],
];

export const client: FactorDefinition = {
  id: 'client',
  label: 'Client',
  group: 'system',
  audience: 'expert',
  help: 'Native is mqttlab’s own engine. The other clients run as measured processes, one for each connection. The native publisher paces their input, and their latency includes the pipes on both sides. An external device has no agent and publishes or subscribes with its own program.',
  unit: null,
  schema: z.enum(clientEngines),
  input: { kind: 'choice' },
  defaultLevel: () => 'native',
  options: (testbed) => clientEngines.map((value) => ({ value, refusal: client.refuse(value, {}, testbed) })),
  levelLabel: (value, testbed) =>
    isExternal(value)
      ? (testbed?.externalDevice?.name ?? 'External device')
      : (processClientsOf({ client: value })?.label ?? 'Native'),
  shortLabel: (value) => (value === 'native' ? 'native client' : String(value)),
  applies: isOverMqtt,
  refuse: (value, levels, testbed) => {
    if (isExternal(value)) return refuseExternalDevice(levels, testbed);
    const clients = processClientsOf({ client: value });
    if (clients === null) return null;
    return (
      refuseDevices(value as ProcessEngine, levels, testbed) ??
      refuseLevels(clients, levels) ??
      refuseSizes(clients, levels)
    );
  },
  refuseWorkload: (value, workload) => {
    if (isExternal(value)) return refuseExternalWorkload(workload);
    const clients = processClientsOf({ client: value });
    if (clients === null || workload === 'stream' || workload === 'burst') return null;
    if (workload === 'reconnect' && clients.reconnects) return null;
    const why = workload === 'reconnect' ? ': they keep their connections open until they exit' : '';
    const known = clients.reconnects ? 'a stream, bursts or reconnects' : 'a stream or bursts';
    return {
      reason: `${clients.name} cannot run the workload “${workload}”${why}`,
      remedy: `Choose ${known}, or the native client.`,
    };
  },
  apply: (spec, value) => ({ ...spec, client: (value ?? 'native') as ClientEngine }),
};

const isExternal = (value: FactorValue): boolean => value === 'external device';

function refuseDevices(
  client: ProcessEngine,
  { cipherSuite, group }: Levels,
  testbed: TestbedView,
): Refusal | null {
  const { label, install } = processClients[client];
  for (const { hostname, clients } of testbed.clientDevices) {
    const found = clients.find(({ engine }) => engine === client);
    if (found === undefined) {
      return { reason: `no ${label} on ${hostname}`, remedy: `${install}, or choose the native client.` };
    }
    const offered = [...(found.tls?.suites ?? []), ...(found.tls?.groups ?? [])];
    const lacking = [cipherSuite, group].find(
      (name) => typeof name === 'string' && found.tls !== null && !offered.includes(name),
    );
    if (lacking !== undefined) {
      return {
        reason: `${found.tls?.library}, which ${label} uses, does not support ${lacking}`,
        remedy: 'Choose another suite or group, or the native client.',
      };
    }
  }
  return null;
}

function refuseLevels({ name, cannot }: ProcessClients, levels: Levels): Refusal | null {
  const clash = [...cannot, ...nativeOnly].find(([factor, level]) => levels[factor] === level);
  if (clash === undefined) return null;
  const [factor, , words] = clash;
  const remedy = factor === 'rate' ? 'Choose a rate, or the native client.' : 'Choose the native client.';
  return { reason: `${name} cannot ${words}`, remedy };
}

function refuseSizes({ mostProcesses }: ProcessClients, levels: Levels): Refusal | null {
  const { readingBytes, readingsPerMessage, publishers, subscribers } = levels;
  const bytes = Number(readingBytes ?? textStampBytes) * Number(readingsPerMessage ?? 1);
  if (bytes < textStampBytes) {
    return {
      reason: `a payload of ${bytes} B has no room for the text stamp of ${textStampBytes} B that these clients use`,
      remedy: `Send at least ${textStampBytes} B per message, or choose the native client.`,
    };
  }
  const most = Math.max(Number(publishers ?? 1), Number(subscribers ?? 1));
  return most <= mostProcesses
    ? null
    : {
        reason: `${most} connections would need ${most} processes, more than ${mostProcesses}`,
        remedy: `Choose at most ${mostProcesses}, or the native client.`,
      };
}

/** The only levels that the device's programs support: factor, levels, behaviour, remedy. */
type Only = readonly (readonly [string, readonly FactorValue[], string, string])[];

const only: Only = [
  ['mqttVersion', ['3.1.1'], 'supports only MQTT 3.1.1', 'Choose MQTT 3.1.1'],
  ['broker', ['mosquitto'], 'logs in to the Mosquitto started for the run', 'Choose Mosquitto'],
  ['transport', ['tcp'], 'connects over TCP', 'Choose TCP'],
  ['connectionUse', ['kept'], 'keeps its connection open', 'Choose a persistent connection'],
  ['clientCertificate', ['none'], 'logs in with its password', 'Choose no client certificate'],
  ['session', ['full'], 'makes full handshakes', 'Choose full handshakes'],
  [
    'sharedSubscription',
    ['each gets all'],
    'is counted with one subscription per subscriber',
    'Choose separate subscriptions',
  ],
  ['payloadEncoding', ['binary'], 'sends binary payloads', 'Choose binary payloads'],
  ['alterEvery', [0], 'alters no message', 'Choose 0'],
  ['topology', ['direct'], 'publishes to the broker directly', 'Choose the direct topology'],
  ['delay', [0], 'is reached over a link that no agent impairs', 'Choose no delay'],
  ['jitter', [0], 'is reached over a link that no agent impairs', 'Choose no jitter'],
  ['loss', [0], 'is reached over a link that no agent impairs', 'Choose no loss'],
  ['rateLimit', ['none'], 'is reached over a link that no agent impairs', 'Choose no rate limit'],
  ['aesInstructions', ['used'], 'has no switch for AES instructions', 'Leave the AES instructions enabled'],
  ['keepAlive', [0], 'sets its keep-alive in its program', 'Choose no keep-alive'],
];

/** Additional restrictions for each role. */
const onlyAs: Readonly<Record<ExternalDevice['role'], Only>> = {
  publisher: [
    ['publishers', [1], 'is one publisher', 'Choose 1 publisher'],
    [
      'payloadCipher',
      ['none', ...deviceCiphers],
      'encrypts payloads with ECDH P-256 and AES-128 only',
      'Choose one of these ciphers, or no payload cipher',
    ],
  ],
  subscriber: [
    ['subscribers', [1], 'is one subscriber', 'Choose 1 subscriber'],
    ['payloadCipher', ['none'], 'returns payloads unchanged', 'Choose no payload cipher'],
  ],
};

/** Refuses levels that a device without an agent does not support. */
function refuseExternalDevice(levels: Levels, { externalDevice }: TestbedView): Refusal | null {
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
    remedy: `Send at least ${stampBytes} B per message, or choose another client.`,
  };
}

function refuseExternalWorkload(workload: WorkloadKind): Refusal | null {
  if (workload === 'stream') return null;
  return {
    reason: 'a device without an agent supports only the workload “stream”',
    remedy: 'Choose the workload “stream”, or another client.',
  };
}
