import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerProbes } from './brokers/list.ts';
import { parseServerAddress, type ServerAddress } from './link/credentials.ts';

export type BrokerKind = keyof typeof brokerProbes;

export interface AgentOptions {
  server: ServerAddress;
  /** File to read the server's address from at each connection attempt; null if the address never changes. */
  serverFile: string | null;
  /** Token of this device; null if it enrols. */
  token: string | null;
  /** Enrolment token; null if none is set. */
  enrolToken: string | null;
  /** Name in the process list, and the name to enrol with. */
  name: string;
  dataFolder: string;
  brokers: readonly BrokerKind[];
  /** Address of a smart plug or meter that answers over HTTP or publishes on a topic; null if there is none. */
  meterUrl: string | null;
  /** Supply voltage in V, to convert energy to charge; null if unknown. */
  supplyVolts: number | null;
  /** Where the kernel's files are: /proc and /sys, unless a container mounts them elsewhere. */
  procRoot: string;
  sysRoot: string;
}

export const usage = `mqttlab agent: runs experiments on this device

  --server <address>    of the mqttlab server, for example http://192.168.1.5:4321  (MQTTLAB_SERVER)
  --server-file <path>  file with that address, and behind it the certificate (PEM) that the server's
                        must be or be signed by; read again at every connection attempt
  --token-file <path>   file that holds this device's token  (or the token itself in MQTTLAB_AGENT_TOKEN)
  --enrol-file <path>   file with a token to enrol with, once, instead  (or itself in MQTTLAB_ENROL_TOKEN)
  --name <name>         how this agent is called in the process list, and what it enrols as; else the name
                        of its machine  (MQTTLAB_AGENT_NAME)
  --data <folder>       for results not yet delivered  (MQTTLAB_AGENT_DATA)
  --brokers <list>      broker kinds to offer, the preferred one first: mosquitto,embedded  (MQTTLAB_BROKERS)
  --meter <address>     of a smart plug (Shelly, Tasmota) that feeds this device, for example
                        http://192.168.1.7, or mqtt://<broker>/<topic> where it
                        publishes its power  (MQTTLAB_METER)
  --supply-volts <V>    of the supply, for charge in mAh; 5 where it is left out  (MQTTLAB_SUPPLY_VOLTS)
  --proc-root <folder>  where the kernel's process files are, /proc  (MQTTLAB_PROC_ROOT)
  --sys-root <folder>   where the kernel's device files are, /sys  (MQTTLAB_SYS_ROOT)
`;

const definitions = {
  server: { type: 'string' },
  'server-file': { type: 'string' },
  'token-file': { type: 'string' },
  'enrol-file': { type: 'string' },
  name: { type: 'string' },
  data: { type: 'string' },
  brokers: { type: 'string' },
  meter: { type: 'string' },
  'supply-volts': { type: 'string' },
  'proc-root': { type: 'string' },
  'sys-root': { type: 'string' },
} as const;

/** Parses the options; the command line overrides the environment. Throws Error for a missing or invalid option. */
export function parseAgentOptions(args: readonly string[], environment: NodeJS.ProcessEnv): AgentOptions {
  const { values } = parseArgs({ args: [...args], options: definitions, strict: true });
  return {
    server: parseServer(values.server ?? environment.MQTTLAB_SERVER, values['server-file']),
    serverFile: values['server-file'] ?? null,
    ...readTokens(values, environment),
    name: values.name ?? environment.MQTTLAB_AGENT_NAME ?? hostname(),
    dataFolder:
      values.data ?? environment.MQTTLAB_AGENT_DATA ?? join(homedir(), '.local/state/mqttlab-agent'),
    brokers: parseBrokers(values.brokers ?? environment.MQTTLAB_BROKERS),
    meterUrl: parseMeter(values.meter ?? environment.MQTTLAB_METER),
    supplyVolts: parseVolts(values['supply-volts'] ?? environment.MQTTLAB_SUPPLY_VOLTS),
    procRoot: values['proc-root'] ?? environment.MQTTLAB_PROC_ROOT ?? '/proc',
    sysRoot: values['sys-root'] ?? environment.MQTTLAB_SYS_ROOT ?? '/sys',
  };
}

function parseServer(given: string | undefined, path: string | undefined): ServerAddress {
  const text = given ?? (path === undefined ? undefined : readFileSync(path, 'utf8'));
  if (text === undefined) throw new Error('Set the address of the server: --server http://<address>:<port>');
  return parseServerAddress(text);
}

function parseMeter(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const url = URL.parse(text);
  if (url === null || !/^(https?|mqtt):$/.test(url.protocol)) {
    throw new Error(`"${text}" is not the address of a meter; an example is http://192.168.1.7`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('The address of a meter appears in every result: remove the user name and password');
  }
  return url.href;
}

function parseVolts(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const volts = Number(text);
  if (volts > 0 && volts <= 1_000) return volts;
  throw new Error(`"${text}" is not a supply voltage; an example is --supply-volts 5`);
}

function readTokens(
  files: { 'token-file'?: string; 'enrol-file'?: string },
  environment: NodeJS.ProcessEnv,
): Pick<AgentOptions, 'token' | 'enrolToken'> {
  const token = readToken(files['token-file'], environment.MQTTLAB_AGENT_TOKEN);
  const enrolToken = readToken(files['enrol-file'], environment.MQTTLAB_ENROL_TOKEN);
  if (token !== null || enrolToken !== null) return { token, enrolToken };
  throw new Error('Set the token: --token-file <path>, or --enrol-file <path>');
}

function readToken(path: string | undefined, fallback: string | undefined): string | null {
  return (path === undefined ? fallback : readFileSync(path, 'utf8'))?.trim() || null;
}

function parseBrokers(text: string | undefined): BrokerKind[] {
  const known = Object.keys(brokerProbes).filter(isBrokerKind);
  if (text === undefined) return known;
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isBrokerKind(name)) return name;
    throw new Error(`"${name}" is not a broker; available are ${known.join(', ')}`);
  });
}

function isBrokerKind(name: string): name is BrokerKind {
  return Object.hasOwn(brokerProbes, name);
}
