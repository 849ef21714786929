import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { systemCodeOf, systemFailureOf } from '@mqttlab/shared/domain/runs/system-failure';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';

/** Failures between this device and the broker. */
export type LoadFailureCode =
  | 'connection-refused'
  | 'tls-handshake'
  | 'websocket-upgrade'
  | 'payload-cipher'
  | 'connack-refused'
  | 'suback-refused'
  | 'negotiation-mismatch'
  | 'packet-too-large'
  | 'protocol-error'
  | 'connection-lost'
  | 'timeout'
  | 'load-worker';

const remedies: Readonly<Record<LoadFailureCode, string>> = {
  'connection-refused':
    'Check that the broker is running and listening on this address and port, and that no firewall blocks the connection.',
  'tls-handshake':
    'Check that the broker and the client both offer this version, suite and group, and that the certificate belongs to this testbed.',
  'websocket-upgrade':
    'Check that the broker port accepts WebSocket connections (path /mqtt, subprotocol "mqtt"), or choose TCP as the transport.',
  'payload-cipher':
    'Upgrade the agents to one version, or choose another level of the factor "Payload cipher".',
  'connack-refused': 'Check that the broker supports this MQTT version and accepts anonymous clients.',
  'suback-refused': "Check the broker's maximum QoS and its access rules for this topic.",
  'negotiation-mismatch':
    'The broker is not configured as the trial requires. Restart it with the settings in the plan, or remove the unsupported level.',
  'packet-too-large': "Choose smaller readings or fewer readings per message, or raise the broker's limit.",
  'protocol-error':
    'Check that an MQTT broker listens on this address and port, and that it is not a program for another protocol.',
  'connection-lost': "Check the broker's log and this device's link, then retry the run.",
  timeout: 'Check the link between the devices: the broker did not answer in time.',
  'load-worker': "Check the agent's log and the device's kernel log, then retry the run.",
};

export function makeLoadFailure(code: LoadFailureCode, message: string): RoleFailure {
  return { code, message, remedy: remedies[code] };
}

export function loadFailure(code: LoadFailureCode, message: string): Failure {
  return new Failure(makeLoadFailure(code, message));
}

/** Returns any thrown value as a failure; `fallback` is used if the value has no code and remedy. */
export function toFailure(error: unknown, fallback: Omit<RoleFailure, 'message'>): RoleFailure {
  if (error instanceof Failure) return error.report;
  return systemFailureOf(error) ?? { ...fallback, message: reasonOf(error) };
}

/** Converts an error like `toFailure`, but an error without a code becomes a failure of the load worker. */
export function toLoadFailure(error: unknown): RoleFailure {
  return toFailure(error, makeLoadFailure('load-worker', ''));
}

/** Returns a failure below MQTT, chosen by system error code. */
export function tcpFailure(error: unknown, endpoint: string): Failure {
  const timedOut = systemCodeOf(error) === 'ETIMEDOUT';
  return loadFailure(
    timedOut ? 'timeout' : 'connection-refused',
    `No connection to ${endpoint}: ${reasonOf(error)}`,
  );
}

/** Uses OpenSSL's own reason if there is one. */
export function tlsFailure(error: unknown): Failure {
  const reason =
    error instanceof Error && 'reason' in error && typeof error.reason === 'string' ? error.reason : null;
  const code = systemCodeOf(error);
  const words = [reason ?? reasonOf(error), code === null ? '' : `(${code})`].filter(Boolean).join(' ');
  return loadFailure('tls-handshake', `The TLS handshake failed: ${words}`);
}
