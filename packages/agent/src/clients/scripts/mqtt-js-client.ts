import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { connect, type IClientOptions, MqttClient } from 'mqtt';
import type { ToldConnection } from '../told-connections.ts';
import type { ScriptSettings } from './script-settings.ts';

/** Where QoS 0 goes faster than the socket takes it; beyond, MQTT has no packet ids left. */
const mostUnderWay = { unacknowledged: 1_000, acknowledged: 60_000 };

/** One connection of mqtt.js in a process of its own: lines to messages, or messages to lines. */
export async function runMqttJsClient(): Promise<void> {
  const [path = '', role, host = '', port, clientId = ''] = process.argv.slice(3);
  const settings = JSON.parse(readFileSync(path, 'utf8')) as ScriptSettings;
  const opened = open(settings, { host, port: Number(port), clientId });
  const { client } = opened;
  let ending = false;
  const fail = (why: string): void => {
    if (ending) return;
    process.stderr.write(`${why}\n`, () => process.exit(1));
  };
  client.on('error', (error) => fail(error.message || String(error)));
  client.on('close', () => fail('The connection was lost.'));
  process.once('SIGTERM', () => {
    ending = true;
    client.end(false, () => process.exit(0));
  });
  await new Promise((resolve) => client.once('connect', resolve));
  if (role === 'subscriber') {
    subscribe(opened, settings);
    return;
  }
  tell(opened, null);
  await publishLines(client, settings);
  ending = true;
  await client.endAsync();
}

interface OpenClient {
  client: MqttClient;
  /** null: plain. */
  tls: () => TLSSocket | null;
}

function open(settings: ScriptSettings, to: { host: string; port: number; clientId: string }): OpenClient {
  const { mqttVersion, keepAliveS, credentials, transport, localAddress, tls } = settings;
  const options: IClientOptions = {
    clientId: to.clientId,
    keepalive: keepAliveS,
    reconnectPeriod: 0,
    protocolVersion: mqttVersion === '5.0' ? 5 : mqttVersion === '3.1' ? 3 : 4,
    protocolId: mqttVersion === '3.1' ? 'MQIsdp' : 'MQTT',
    ...credentials,
  };
  let secured: TLSSocket | null = null;
  // Made here, for mqtt.js itself neither binds to an address nor takes a server name beside one.
  const reach = (): Socket => {
    const bound = localAddress === null ? {} : { localAddress };
    const at = { host: to.host, port: to.port, noDelay: true, ...bound };
    if (tls !== null) secured = connectTls({ ...at, ...secureOptions(tls) });
    const socket = secured ?? connectTcp(at);
    // It tells of errors of the network, not of those of TLS.
    socket.once('error', (error) => client.emit('error', error));
    return socket;
  };
  const client: MqttClient =
    transport === 'websocket'
      ? connect(`${tls === null ? 'ws' : 'wss'}://${hostInUrl(to.host)}:${to.port}/mqtt`, {
          ...options,
          wsOptions: { createConnection: reach },
        })
      : new MqttClient(reach, options);
  return { client, tls: () => secured };
}

function hostInUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function secureOptions({ serverName, ...context }: NonNullable<ScriptSettings['tls']>) {
  return {
    ...context,
    // RFC 6066 section 3 allows no addresses as server name.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      checkServerIdentity(serverName, certificate),
  };
}

/** The first line. */
function tell({ tls }: OpenClient, grantedQos: ToldConnection['grantedQos']): void {
  const socket = tls();
  const told: ToldConnection = {
    protocol: socket?.getProtocol() ?? null,
    cipherSuite: socket?.getCipher().name ?? null,
    grantedQos,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** What comes before the connection was told is none of the Run's: nothing is sent yet. */
function subscribe(opened: OpenClient, { topic, qos }: ScriptSettings): void {
  const { client } = opened;
  client.subscribe(topic, { qos }, (error, granted) => {
    if (error) {
      client.emit('error', error);
      return;
    }
    const [first] = granted ?? [];
    tell(opened, first === undefined || first.qos > 2 ? null : (first.qos as 0 | 1 | 2));
    client.on('message', (_topic, payload, { retain }) => {
      if (!retain) process.stdout.write(Buffer.concat([payload, lineFeed]));
    });
  });
}

const lineFeed = Buffer.from('\n');

async function publishLines(client: MqttClient, { topic, qos }: ScriptSettings): Promise<void> {
  const most = qos === 0 ? mostUnderWay.unacknowledged : mostUnderWay.acknowledged;
  const lines = createInterface({ input: process.stdin });
  const done = Promise.withResolvers<void>();
  let underWay = 0;
  let ended = false;
  const settle = (error?: Error): void => {
    if (error) client.emit('error', error);
    underWay -= 1;
    if (underWay < most) process.stdin.resume();
    if (ended && underWay === 0) done.resolve();
  };
  lines.on('line', (line) => {
    underWay += 1;
    client.publish(topic, line, { qos }, settle);
    if (underWay >= most) process.stdin.pause();
  });
  lines.once('close', () => {
    ended = true;
    if (underWay === 0) done.resolve();
  });
  await done.promise;
}
