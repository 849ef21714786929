import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { checkServerIdentity, connect as connectTls, type TLSSocket } from 'node:tls';
import { connect, type IClientOptions, MqttClient } from 'mqtt';
import type { ReconnectAnswer, ReportedConnection } from '../client-connections.ts';
import type { ScriptSettings } from '../client-program.ts';

/** Maximum number of QoS 0 messages that wait for the socket. */
const maxUnwritten = 1_000;

/**
 * Runs one connection of mqtt.js in a separate process: turns lines into messages, or messages into lines.
 */
export async function runMqttJsClient(): Promise<void> {
  const [path = '', role, host = '', port, clientId = ''] = process.argv.slice(3);
  const settings = JSON.parse(readFileSync(path, 'utf8')) as ScriptSettings;
  const to = { host, port: Number(port), clientId };
  if (settings.reconnects && role === 'publisher') {
    await runReconnects(settings, to);
    process.exit(0);
  }
  const opened = open(settings, to);
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
  await connected(opened);
  if (role === 'subscriber') {
    subscribe(opened, settings);
    return;
  }
  tell(opened, null);
  await publishLines(client, settings);
  ending = true;
  await client.endAsync();
}

/** Writes the first line. */
function tell(opened: OpenClient, grantedQos: ReportedConnection['grantedQos']): void {
  process.stdout.write(`${JSON.stringify(reportOf(opened, grantedQos))}\n`);
}

/** Ignores messages before the connection is reported, because they are from earlier runs. */
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

async function publishLines(
  client: MqttClient,
  { topic, qos, window, confirmation }: ScriptSettings,
): Promise<void> {
  const most = qos === 0 ? maxUnwritten : window;
  const lines = createInterface({ input: process.stdin });
  const done = Promise.withResolvers<void>();
  /** Lines that were read before the window became full. */
  const waiting: string[] = [];
  let underWay = 0;
  let ended = false;
  const publish = (line: string): void => {
    underWay += 1;
    client.publish(topic, line, { qos }, settle);
  };
  const settle = (error?: Error): void => {
    if (error) client.emit('error', error);
    underWay -= 1;
    if (confirmation !== null) process.stdout.write(confirmation);
    const next = waiting.shift();
    if (next !== undefined) publish(next);
    else process.stdin.resume();
    if (ended && underWay === 0) done.resolve();
  };
  lines.on('line', (line) => {
    if (underWay < most) publish(line);
    else {
      waiting.push(line);
      process.stdin.pause();
    }
  });
  lines.once('close', () => {
    ended = true;
    if (underWay === 0) done.resolve();
  });
  await done.promise;
}

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
  /** Times at which the socket was created, TCP connected and TLS negotiated. */
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
  // Created here, because mqtt.js cannot bind to an address or use a server name that differs from the
  // address.
  const reach = (): Socket => {
    const bound = localAddress === null ? {} : { localAddress };
    const at = { host: to.host, port: to.port, noDelay: true, ...bound };
    mark('beganUs')();
    if (tls !== null) secured = connectTls({ ...at, ...secureOptions(tls) });
    const socket: Socket = secured ?? connectTcp(at);
    reached = socket;
    socket.once('connect', mark('tcpUs'));
    socket.once('secureConnect', mark('tlsUs'));
    // mqtt.js reports network errors, but not TLS errors.
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
    // RFC 6066 section 3 does not allow an address as the server name.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    checkServerIdentity: (_host: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      checkServerIdentity(serverName, certificate),
  };
}

export function reportOf(
  { tls }: OpenClient,
  grantedQos: ReportedConnection['grantedQos'],
): ReportedConnection {
  const socket = tls();
  return {
    protocol: socket?.getProtocol() ?? null,
    cipherSuite: socket?.getCipher().name ?? null,
    grantedQos,
  };
}

/**
 * Opens a connection for each message. Standard input contains "open" and "close", with the message to
 * publish between them. Each of the two words is answered by one line.
 */
export async function runReconnects(settings: ScriptSettings, to: ReachedEndpoint): Promise<void> {
  let current: MessageClient | null = null;
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      if (line === 'open') {
        current?.drop();
        current = new MessageClient(settings, to);
        answer(await current.open());
      } else if (line === 'close') {
        await current?.close();
        answer({ closed: true });
      } else current?.publish(line);
    } catch (error) {
      current?.drop();
      answer({ failed: error instanceof Error ? error.message : String(error) });
    }
  }
  current?.drop();
}

function answer(report: ReconnectAnswer): void {
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

class MessageClient {
  readonly #settings: ScriptSettings;
  readonly #opened: OpenClient;
  readonly #lost: Promise<never>;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(settings: ScriptSettings, to: ReachedEndpoint) {
    this.#settings = settings;
    this.#opened = open(settings, to);
    const { client } = this.#opened;
    this.#lost = new Promise((_resolve, reject) => {
      client.on('error', reject);
      client.on('close', () => reject(new Error('The connection was lost.')));
    });
    this.#lost.catch(() => {});
  }

  async open(): Promise<ReconnectAnswer> {
    await Promise.race([connected(this.#opened), this.#lost]);
    const endedUs = performance.now() * 1_000;
    const { beganUs, tcpUs, tlsUs } = this.#opened.marks;
    const secured = this.#settings.tls === null ? tcpUs : tlsUs;
    return {
      opened: {
        ...reportOf(this.#opened, null),
        address: this.#opened.socket()?.localAddress ?? '',
        port: this.#opened.socket()?.localPort ?? 0,
        tcpUs: tcpUs - beganUs,
        tlsUs: this.#settings.tls === null ? null : tlsUs - tcpUs,
        connectUs: endedUs - secured,
        setUpUs: endedUs - beganUs,
      },
    };
  }

  publish(line: string): void {
    const { topic, qos } = this.#settings;
    this.#sent = this.#opened.client.publishAsync(topic, line, { qos });
    this.#sent.catch(() => {});
  }

  async close(): Promise<void> {
    await Promise.race([this.#sent, this.#lost]);
    await this.#opened.client.endAsync();
  }

  drop(): void {
    this.#opened.client.end(true);
  }
}
