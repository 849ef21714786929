import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { connect, type IClientOptions, MqttClient } from 'mqtt';
import type { ToldConnection } from '../told-connections.ts';
import type { ScriptSettings } from './script-settings.ts';

export interface ReachedEndpoint {
  host: string;
  port: number;
  clientId: string;
}

export interface OpenClient {
  client: MqttClient;
  socket: () => Socket | null;
  /** null: plain. */
  tls: () => TLSSocket | null;
  /** When the socket was made, TCP was connected and TLS agreed on. */
  marks: { beganUs: number; tcpUs: number; tlsUs: number };
}

export async function connected({ client }: OpenClient): Promise<void> {
  await new Promise<unknown>((resolve) => client.once('connect', resolve));
}

export function open(settings: ScriptSettings, to: ReachedEndpoint): OpenClient {
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
  let reached: Socket | null = null;
  const marks = { beganUs: 0, tcpUs: 0, tlsUs: 0 };
  const mark = (name: keyof typeof marks) => (): void => {
    marks[name] = performance.now() * 1_000;
  };
  // Made here, for mqtt.js itself neither binds to an address nor takes a server name beside one.
  const reach = (): Socket => {
    const bound = localAddress === null ? {} : { localAddress };
    const at = { host: to.host, port: to.port, noDelay: true, ...bound };
    mark('beganUs')();
    if (tls !== null) secured = connectTls({ ...at, ...secureOptions(tls) });
    const socket: Socket = secured ?? connectTcp(at);
    reached = socket;
    socket.once('connect', mark('tcpUs'));
    socket.once('secureConnect', mark('tlsUs'));
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
  return { client, socket: () => reached, tls: () => secured, marks };
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

export function toldOf({ tls }: OpenClient, grantedQos: ToldConnection['grantedQos']): ToldConnection {
  const socket = tls();
  return {
    protocol: socket?.getProtocol() ?? null,
    cipherSuite: socket?.getCipher().name ?? null,
    grantedQos,
  };
}
