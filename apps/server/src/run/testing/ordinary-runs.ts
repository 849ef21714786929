import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDraft, Workload } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import { machineStateOf } from '@mqttlab/shared/testing/load-verdicts';
import { makeOneRunDraft } from './real-run.ts';
import type { Life } from './rig.ts';

/** A typical run without any fault. */
export interface OrdinaryRun {
  name: string;
  draft: ExperimentDraft;
}

/** Default settings of a kind. */
type Times = Pick<Workload, 'warmUpMs' | 'measureMs'>;

const tls = { security: ['TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] } as const;
const bridged = {
  topology: ['re-encrypting bridge'],
  security: ['plain'],
  mqttVersion: ['5.0'],
  payloadCipher: ['chacha20-poly1305'],
} as const;

type Factors = Readonly<Record<string, readonly (string | number)[]>>;

interface Kind {
  name: string;
  factors: Factors;
  workload: Partial<Workload>;
}

function kind(name: string, factors: Factors, workload: Partial<Workload> = {}): Kind {
  return { name, factors, workload };
}

/** One of each client, workload, broker, topology and protocol. */
const kinds: readonly Kind[] = [
  kind('native, Mosquitto', {}),
  kind('native, Mosquitto, TLS 1.3', tls),
  kind('native, Mosquitto, QoS 0', { qos: [0] }),
  kind('native, Mosquitto, QoS 2', { qos: [2] }),
  kind('native, embedded broker', { broker: ['embedded'] }),
  kind('native, external broker', { broker: ['external'] }),
  kind('native, WebSocket', { transport: ['websocket'] }),
  kind('mosquitto_pub, Mosquitto', { client: ['mosquitto clients'] }),
  kind('mosquitto_pub, Mosquitto, TLS 1.3', { ...tls, client: ['mosquitto clients'] }),
  kind('mosquitto_pub, embedded broker', { client: ['mosquitto clients'], broker: ['embedded'] }),
  kind('mosquitto_pub, external broker', { client: ['mosquitto clients'], broker: ['external'] }),
  // Its code is compiled while it runs, which takes longer than the warm-up of other clients.
  kind('mqtt.js, Mosquitto, TLS 1.3', { ...tls, client: ['mqtt.js'] }, { warmUpMs: 2000 }),
  kind('CoAP confirmable', { applicationProtocol: ['coap confirmable'] }),
  kind('CoAP non-confirmable', { applicationProtocol: ['coap non-confirmable'] }),
  kind('re-encrypting bridge', bridged),
  kind('burst', {}, { kind: 'burst', burstOnMs: 200, burstOffMs: 100 }),
  // Enough connections that the P99 of their lateness is not a single one.
  kind('reconnect', { rate: [50] }, { kind: 'reconnect', measureMs: 8000 }),
  kind('reconnect, TLS 1.3', { ...tls, rate: [50] }, { kind: 'reconnect', measureMs: 8000 }),
  kind(
    'reconnect, mqtt.js',
    { ...tls, client: ['mqtt.js'], rate: [20] },
    { kind: 'reconnect', warmUpMs: 2000, measureMs: 10_000 },
  ),
  kind('handshake', tls, { kind: 'handshake', connections: 60, measureMs: 60_000 }),
  kind('states', tls, { kind: 'states', connections: 6, measureMs: 60_000 }),
  kind('availability', tls, { kind: 'availability', abusers: 20, measureMs: 3000 }),
];

export function makeOrdinaryRuns(times: Times): OrdinaryRun[] {
  return kinds.map(({ name, factors, workload }) => {
    const own = Object.fromEntries(Object.entries(factors).map(([id, levels]) => [id, [...levels]]));
    return { name, draft: makeOneRunDraft({ factors: own }, { ...times, ...workload }) };
  });
}

/** Verdicts that fail if the machine had other work to do. */
const isAboutTheMachine = ({ id }: Pick<Verdict, 'id'>): boolean =>
  ['device-idle', 'kept-schedule', 'separate-records', 'warm-up-long-enough'].includes(id);

/** Reasons that flag a run; `besidesTheMachine`: except those caused by a machine that may have been busy. */
export function failedVerdicts({ verdicts }: RunDetail, besidesTheMachine = false): Verdict[] {
  const failed = verdicts.filter(({ status }) => status === 'failed');
  return besidesTheMachine && machineStateOf(verdicts) !== 'quiet'
    ? failed.filter((verdict) => !isAboutTheMachine(verdict))
    : failed;
}

/** Lateness has a P99 above its limit only if at least this share of the time was lost, in % of one core. */
const lostByP99 = 1;

/**
 * True if the host of this virtual machine withheld as much CPU time as a failed verdict on the schedule needs, so that
 * the verdict tells the truth about a machine that was not idle.
 */
export function isCausedByHost({ id, evidence }: Pick<Verdict, 'id' | 'evidence'>): boolean {
  if (id !== 'kept-schedule' && id !== 'separate-records') return false;
  const [, withheld = '0'] = /virtual machine withheld ([\d.]+) %/.exec(evidence) ?? [];
  return evidence.includes('; 0 unsent') && Number(withheld) * cpus().length >= lostByP99;
}

/**
 * A Mosquitto outside any testbed, set as the external broker of the built-in one. Returns a function that stops it.
 */
export async function startExternalBroker(life: Life): Promise<() => Promise<void>> {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-external-'));
  // By default it drops messages above QoS 0 for a subscriber that is 1,000 messages behind.
  const settings = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_queued_messages 0'];
  writeFileSync(join(folder, 'broker.conf'), `${settings.join('\n')}\n`);
  const child = spawn('mosquitto', ['-c', join(folder, 'broker.conf')], { stdio: 'ignore' });
  const stop = () => end(child, folder);
  try {
    await awaitListener(port);
  } catch (error) {
    await stop();
    throw error;
  }
  life.brokers.saveExternalBroker('local', {
    label: 'External Mosquitto',
    address: '127.0.0.1',
    port,
    tlsPort: null,
    websocketPort: null,
    mqttVersions: ['3.1.1', '5.0'],
    authority: null,
    serverName: null,
    username: null,
    process: null,
    unit: null,
  });
  return stop;
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function awaitListener(port: number): Promise<void> {
  for (const endsAt = Date.now() + 10_000; ; await wait(20)) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (Date.now() > endsAt) throw error;
    } finally {
      socket.destroy();
    }
  }
}
