import { join } from 'node:path';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { protocolOf } from '../tls/connect-options.ts';
import { brokerGroupListOf } from '../tls/group-list.ts';
import { sessionLines } from './mosquitto-sessions.ts';
import { needsLevelZero } from './suite-ciphers.ts';

/**
 * Mosquitto 2.0 ends when its only listener is one for WebSocket ("Unable to start any listening sockets"), so it
 * gets another that nobody uses: a Unix socket in the folder of the Run.
 */
const besideWebSocket = 'listener 0 unused.sock';

export interface MosquittoConfigurationOptions {
  spec: TrialSpec;
  address: string;
  port: number;
  folder: string;
  asRoot: boolean;
  encrypted: boolean;
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
    'allow_anonymous true',
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

/**
 * OpenSSL's own configuration (SSL_CONF_cmd(3)): mosquitto.conf can pin neither the group nor the highest version.
 * Level 0 only for a suite that OpenSSL refuses otherwise.
 */
export function makeOpensslConfiguration(spec: TrialSpec): string {
  const weak = spec.cipherSuite !== null && needsLevelZero(spec.cipherSuite);
  const groups = brokerGroupListOf(spec);
  const version = protocolOf(spec.security);
  const lines = [
    'openssl_conf = mqttlab',
    '[mqttlab]',
    'ssl_conf = ssl',
    '[ssl]',
    'system_default = tls',
    '[tls]',
    // mosquitto.conf sets the lowest version only.
    ...(version === null ? [] : [`MinProtocol = ${version}`, `MaxProtocol = ${version}`]),
    `CipherString = DEFAULT:@SECLEVEL=${weak ? 0 : 2}`,
    ...(groups === null ? [] : [`Groups = ${groups}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function mosquittoFiles(
  folder: string,
): Record<
  'configuration' | 'openssl' | 'certificateChain' | 'privateKey' | 'clientAuthority' | 'diffieHellman',
  string
> {
  return {
    configuration: join(folder, 'mosquitto.conf'),
    openssl: join(folder, 'openssl.cnf'),
    certificateChain: join(folder, 'certificate.pem'),
    privateKey: join(folder, 'private-key.pem'),
    clientAuthority: join(folder, 'client-authority.pem'),
    diffieHellman: join(folder, 'dh.pem'),
  };
}
