import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { MqttClient } from 'mqtt';
import type { ToldConnection } from '../told-connections.ts';
import { connected, type OpenClient, open, toldOf } from './mqtt-js-connection.ts';
import { runReconnects } from './mqtt-js-reconnects.ts';
import type { ScriptSettings } from './script-settings.ts';

/** Messages at QoS 0 that may wait for the socket. */
const maxUnwritten = 1_000;

/** One connection of mqtt.js in its own process: turns lines into messages, or messages into lines. */
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

/** The first line. */
function tell(opened: OpenClient, grantedQos: ToldConnection['grantedQos']): void {
  process.stdout.write(`${JSON.stringify(toldOf(opened, grantedQos))}\n`);
}

/** Messages before the connection is reported are not of this run: nothing has been sent yet. */
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

async function publishLines(client: MqttClient, { topic, qos, window }: ScriptSettings): Promise<void> {
  const most = qos === 0 ? maxUnwritten : window;
  const lines = createInterface({ input: process.stdin });
  const done = Promise.withResolvers<void>();
  /** Lines that were read before the window was full. */
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
