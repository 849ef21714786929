import { parseArgs } from 'node:util';
import { type AccessRole, accessRoles } from '@mqttlab/shared/messages/access';
import { isLoopbackHost } from '../base/config.ts';

const options = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
  strict: { type: 'boolean', default: false },
  bundle: { type: 'boolean', default: false },
  captures: { type: 'boolean', default: false },
  'key-logs': { type: 'boolean', default: false },
  'accept-altered': { type: 'boolean', default: false },
  'start-server': { type: 'boolean', default: false },
  server: { type: 'string' },
  token: { type: 'string' },
  format: { type: 'string' },
  output: { type: 'string', short: 'o' },
  role: { type: 'string' },
  device: { type: 'string' },
  status: { type: 'string' },
  fingerprint: { type: 'string' },
  key: { type: 'string' },
  forget: { type: 'boolean', default: false },
  source: { type: 'string' },
  meter: { type: 'string' },
  volts: { type: 'string' },
  battery: { type: 'string' },
  'started-at': { type: 'string' },
  'ahead-ms': { type: 'string' },
  name: { type: 'string' },
  scale: { type: 'string' },
  part: { type: 'string' },
  testbed: { type: 'string' },
  events: { type: 'string' },
  secret: { type: 'string' },
  vary: { type: 'string', multiple: true },
  workload: { type: 'string' },
  measure: { type: 'string' },
  repetitions: { type: 'string' },
  response: { type: 'string' },
  baseline: { type: 'string' },
  junit: { type: 'string' },
  summary: { type: 'string' },
  uses: { type: 'string' },
  hours: { type: 'string' },
  days: { type: 'string' },
  budget: { type: 'string' },
  'with-keys': { type: 'boolean', default: false },
  'passphrase-file': { type: 'string' },
} as const;

export interface CliArguments {
  command: string;
  positionals: string[];
  json: boolean;
  help: boolean;
  version: boolean;
  /** Flagged runs count as failures. */
  strict: boolean;
  /** Export everything as a research bundle. */
  bundle: boolean;
  /** Packets, and the keys that open them, go along with it. */
  captures: boolean;
  keyLogs: boolean;
  /** Imports a bundle whose figures differ from its evidence, marked. */
  acceptAltered: boolean;
  /** Where none is running. */
  startServer: boolean;
  server: string;
  token: string | null;
  format: string | null;
  output: string | null;
  role: string | null;
  /** Of several in that role, by id or name. */
  device: string | null;
  status: string | null;
  /** Of a host key that was compared before. */
  fingerprint: string | null;
  /** File of a private key that opens a device. */
  key: string | null;
  /** Only here: a device that cannot be reached any more. */
  forget: boolean;
  /** Energy source, address of a meter, V of the supply, mAh of the battery of a device. */
  source: string | null;
  meter: string | null;
  volts: string | null;
  battery: string | null;
  /** Of the first row of a meter's file, and by how much its clock is ahead. */
  startedAt: string | null;
  aheadMs: string | null;
  /** Of a meter, in results. */
  name: string | null;
  /** Of a protocol. */
  scale: string | null;
  part: string | null;
  /** In place of the one that a plan names. */
  testbed: string | null;
  /** Of a webhook. */
  events: string | null;
  secret: string | null;
  /** Of a plan that is written: "security=plain,tls1.3". */
  vary: readonly string[];
  workload: string | null;
  measure: string | null;
  repetitions: string | null;
  response: string | null;
  /** Of thresholds: another experiment, or a bundle. */
  baseline: string | null;
  /** Files for pipelines. */
  junit: string | null;
  summary: string | null;
  /** Of an enrolment token: how often it is good, and for how long. */
  uses: string | null;
  hours: string | null;
  /** How long series are kept, and how many GB the data may take; "off" ends either. */
  days: string | null;
  budget: string | null;
  /** Private keys in a backup, encrypted with the passphrase in the file. */
  withKeys: boolean;
  passphraseFile: string | null;
}

/** Throws UsageError naming the argument that is wrong. */
export function parseCliArguments(argv: readonly string[], env: NodeJS.ProcessEnv): CliArguments {
  const { values, positionals } = parseOrExplain(argv);
  const [command = 'help', ...rest] = positionals;
  const server = parseServer(values.server ?? env.MQTTLAB_URL ?? `http://127.0.0.1:${env.PORT ?? '8080'}`);
  // What the server of this machine is started with serves the commands beside it, and goes nowhere else.
  const ownToken = isLoopbackHost(new URL(server).hostname) ? env.MQTTLAB_ADMIN_TOKEN : undefined;
  return {
    command,
    positionals: rest,
    json: values.json,
    help: values.help,
    version: values.version,
    strict: values.strict,
    bundle: values.bundle,
    captures: values.captures,
    keyLogs: values['key-logs'],
    acceptAltered: values['accept-altered'],
    startServer: values['start-server'],
    server,
    token: values.token ?? env.MQTTLAB_TOKEN ?? ownToken ?? null,
    format: values.format ?? null,
    output: values.output ?? null,
    role: values.role ?? null,
    device: values.device ?? null,
    status: values.status ?? null,
    fingerprint: values.fingerprint ?? null,
    key: values.key ?? null,
    forget: values.forget,
    source: values.source ?? null,
    meter: values.meter ?? null,
    volts: values.volts ?? null,
    battery: values.battery ?? null,
    startedAt: values['started-at'] ?? null,
    aheadMs: values['ahead-ms'] ?? null,
    name: values.name ?? null,
    scale: values.scale ?? null,
    part: values.part ?? null,
    testbed: values.testbed ?? null,
    events: values.events ?? null,
    secret: values.secret ?? null,
    vary: values.vary ?? [],
    workload: values.workload ?? null,
    measure: values.measure ?? null,
    repetitions: values.repetitions ?? null,
    response: values.response ?? null,
    baseline: values.baseline ?? null,
    junit: values.junit ?? null,
    summary: values.summary ?? null,
    uses: values.uses ?? null,
    hours: values.hours ?? null,
    days: values.days ?? null,
    budget: values.budget ?? null,
    withKeys: values['with-keys'],
    passphraseFile: values['passphrase-file'] ?? null,
  };
}

function parseOrExplain(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseServer(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--server: "${text}" is not an address; write it like http://127.0.0.1:8080`);
  }
  return url.origin;
}

/** `where`: the argument, for the sentence. Throws UsageError. */
export function parseAccessRole(text: string, where: string): AccessRole {
  const role = accessRoles.find((known) => known === text);
  if (!role) throw new UsageError(`${where}: choose one of ${accessRoles.join(', ')}`);
  return role;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {}
