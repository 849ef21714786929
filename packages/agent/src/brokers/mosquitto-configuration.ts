import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeOpensslConfiguration } from '../tls/connect-options.ts';
import { brokerGroupListOf, needsLevelZero } from '../tls/suites-and-groups.ts';

/**
 * Mosquitto 2.0 ends when its only listener is one for WebSocket ("Unable to start any listening sockets"), so it
 * gets another that nobody uses: a Unix socket in the folder of the Run.
 */
const besideWebSocket = 'listener 0 unused.sock';

interface MosquittoConfigurationOptions {
  spec: TrialSpec;
  address: string;
  port: number;
  folder: string;
  asRoot: boolean;
  encrypted: boolean;
  /** Clients must log in as one of those in `mosquittoFiles().passwords`. */
  asksLogin: boolean;
  /** Clients must show a certificate of the authority in `mosquittoFiles().clientAuthority`. */
  asksClients: boolean;
}

/**
 * The text of mosquitto.conf for one Run (mosquitto.conf(5)). Nothing throttles: queues are unlimited and the
 * window is the publisher's own, so that what is measured is the cost of the security level.
 */
export function makeMosquittoConfiguration(options: MosquittoConfigurationOptions): string {
  const { workload, connectionUse, transport } = options.spec;
  const isWebSocket = transport === 'websocket';
  const connectsOften =
    workload === 'availability' ||
    workload === 'handshake' ||
    workload === 'reconnect' ||
    connectionUse === 'one per message';
  const lines = [
    ...(options.asRoot ? ['user root'] : []),
    ...(isWebSocket ? [besideWebSocket] : []),
    `listener ${options.port} ${options.address}`,
    ...(isWebSocket ? ['protocol websockets'] : []),
    ...(options.asksLogin
      ? ['allow_anonymous false', `password_file ${mosquittoFiles(options.folder).passwords}`]
      : ['allow_anonymous true']),
    'set_tcp_nodelay true',
    ...sessionLines(options.spec, options.folder),
    'sys_interval 0',
    'log_dest stderr',
    'log_timestamp false',
    ...['error', 'warning', 'notice', 'information'].map((type) => `log_type ${type}`),
    // Lines about every connection would be a part of what a connection costs.
    `connection_messages ${!connectsOften}`,
    ...(options.encrypted ? tlsLines(options) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function tlsLines({ spec, folder, asksClients }: MosquittoConfigurationOptions): string[] {
  const files = mosquittoFiles(folder);
  const lines = [`certfile ${files.certificateChain}`, `keyfile ${files.privateKey}`];
  if (asksClients) lines.push(`cafile ${files.clientAuthority}`, 'require_certificate true');
  const suite = spec.cipherSuite;
  if (spec.security === 'TLS 1.3') {
    lines.push('tls_version tlsv1.3');
    if (suite !== null) lines.push(`ciphers_tls1.3 ${suite}`);
  } else {
    lines.push('tls_version tlsv1.2', `dhparamfile ${files.diffieHellman}`);
    if (suite !== null) lines.push(`ciphers ${suite}`);
  }
  return lines;
}

/** mosquitto_passwd(1) of version 2: PBKDF2 with SHA-512; the passwords are random, so that few rounds do. */
export function makePasswordFile(logins: readonly { username: string; password: string }[]): string {
  const rounds = 101;
  const lines = logins.map(({ username, password }) => {
    const salt = randomBytes(12);
    const hash = pbkdf2Sync(password, salt, rounds, 64, 'sha512').toString('base64');
    return `${username}:$7$${rounds}$${salt.toString('base64')}$${hash}\n`;
  });
  return lines.join('');
}

/** mosquitto.conf can pin neither the group nor the highest version. */
export function makeBrokerOpensslConfiguration(spec: TrialSpec): string {
  const weak = spec.cipherSuite !== null && needsLevelZero(spec.cipherSuite);
  return makeOpensslConfiguration(spec, brokerGroupListOf(spec), [
    `CipherString = DEFAULT:@SECLEVEL=${weak ? 0 : 2}`,
  ]);
}

export function mosquittoFiles(
  folder: string,
): Record<
  | 'configuration'
  | 'openssl'
  | 'passwords'
  | 'certificateChain'
  | 'privateKey'
  | 'clientAuthority'
  | 'diffieHellman',
  string
> {
  return {
    configuration: join(folder, 'mosquitto.conf'),
    openssl: join(folder, 'openssl.cnf'),
    passwords: join(folder, 'passwords'),
    certificateChain: join(folder, 'certificate.pem'),
    privateKey: join(folder, 'private-key.pem'),
    clientAuthority: join(folder, 'client-authority.pem'),
    diffieHellman: join(folder, 'dh.pem'),
  };
}

/** Largest MQTT packet there is (MQTT 5 section 1.5.5): remaining length of four bytes. */
export const largestPacketBytes = 268_435_455;

/** Most unacknowledged messages for each client: all that 16-bit packet identifiers allow. */
const inflightMessages = 65_535;

/** What systemd lets a service open unless its unit says otherwise (DefaultLimitNOFILE, soft). */
export const serviceFiles = 1024;

/**
 * Limits against abuse of sessions (mosquitto.conf(5)), in the order of the file. The keep-alive is the
 * shortest that there is, so that its effect shows within a run (after 15 s); `max_connections` lies below the files
 * that the service may open.
 */
const hardening: readonly string[] = [
  'max_connections 500',
  'max_keepalive 10',
  'max_queued_messages 10',
  'max_queued_bytes 16384',
  'max_inflight_messages 10',
  'max_packet_size 65536',
  'persistent_client_expiration 1h',
];

/**
 * What of mosquitto.conf is about sessions and queues. Nothing throttles a load: queues are unlimited and the window
 * is the publisher's own. For availability it is Mosquitto as a distribution ships it, with persistence, and with or
 * without limits.
 */
function sessionLines(
  { workload, brokerHardening }: Pick<TrialSpec, 'workload' | 'brokerHardening'>,
  folder: string,
): string[] {
  if (workload !== 'availability') {
    return [
      'persistence false',
      `max_inflight_messages ${inflightMessages}`,
      'max_queued_messages 0',
      `max_packet_size ${largestPacketBytes}`,
    ];
  }
  return [
    'persistence true',
    // It has to end in a slash. The folder of the Run goes with everything in it.
    `persistence_location ${folder}/`,
    ...(brokerHardening === 'hardened' ? hardening : []),
  ];
}
