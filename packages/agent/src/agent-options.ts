import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerProbes } from './broker/list.ts';

export type BrokerKind = keyof typeof brokerProbes;

export interface AgentOptions {
  server: URL;
  token: string;
  /** Shown in the process list. */
  name: string;
  dataFolder: string;
  brokers: readonly BrokerKind[];
}

export const usage = `mqttlab agent: carries out experiments on this device

  --server <address>    of the mqttlab server, for example http://192.168.1.5:4321  (MQTTLAB_SERVER)
  --token-file <path>   file that holds this device's token  (or the token itself in MQTTLAB_AGENT_TOKEN)
  --name <name>         how this agent is called in the process list  (MQTTLAB_AGENT_NAME)
  --data <folder>       for results not yet delivered  (MQTTLAB_AGENT_DATA)
  --brokers <list>      broker kinds to offer, the preferred one first: mosquitto,embedded  (MQTTLAB_BROKERS)
`;

const definitions = {
  server: { type: 'string' },
  'token-file': { type: 'string' },
  name: { type: 'string' },
  data: { type: 'string' },
  brokers: { type: 'string' },
} as const;

/** Command line before environment; throws an Error that says what is missing or wrong. */
export function parseAgentOptions(args: readonly string[], environment: NodeJS.ProcessEnv): AgentOptions {
  const { values } = parseArgs({ args: [...args], options: definitions, strict: true });
  return {
    server: parseServer(values.server ?? environment.MQTTLAB_SERVER),
    token: readToken(values['token-file'], environment.MQTTLAB_AGENT_TOKEN),
    name: values.name ?? environment.MQTTLAB_AGENT_NAME ?? 'agent',
    dataFolder:
      values.data ?? environment.MQTTLAB_AGENT_DATA ?? join(homedir(), '.local/state/mqttlab-agent'),
    brokers: parseBrokers(values.brokers ?? environment.MQTTLAB_BROKERS),
  };
}

function parseServer(text: string | undefined): URL {
  if (text === undefined) throw new Error('Say where the server is: --server http://<address>:<port>');
  const url = URL.parse(text);
  if (url === null || !/^(http|ws)s?:$/.test(url.protocol)) {
    throw new Error(`"${text}" is no address of a server; it looks like http://192.168.1.5:4321`);
  }
  return url;
}

function readToken(path: string | undefined, fallback: string | undefined): string {
  const token = (path === undefined ? fallback : readFileSync(path, 'utf8'))?.trim();
  if (token === undefined || token === '') throw new Error('Give the token: --token-file <path>');
  return token;
}

function parseBrokers(text: string | undefined): BrokerKind[] {
  const known = Object.keys(brokerProbes).filter(isBrokerKind);
  if (text === undefined) return known;
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isBrokerKind(name)) return name;
    throw new Error(`"${name}" is no broker; there are ${known.join(', ')}`);
  });
}

function isBrokerKind(name: string): name is BrokerKind {
  return Object.hasOwn(brokerProbes, name);
}
