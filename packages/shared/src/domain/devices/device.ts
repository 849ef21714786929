import type { TrialSpec } from '../plans/trial-spec.ts';

/** What a device does in a Trial. */
export const roles = ['broker', 'publisher', 'bridge', 'cloud-broker', 'subscriber'] as const;
/** Without one device for each of them there are no Runs; the others are for Trials with a bridge. */
export const neededRoles = ['broker', 'publisher', 'subscriber'] as const;
/** What a Trial with a bridge needs besides. */
export const bridgeRoles = ['bridge', 'cloud-broker'] as const;
/** Who serves the others. */
export const brokerRoles = ['broker', 'cloud-broker'] as const;
/** Several devices may play one of these: the load is divided among them. */
export const sharedRoles = ['publisher', 'subscriber'] as const;
export type Role = (typeof roles)[number];

/** As they read inside a sentence. */
export const roleWords: Readonly<Record<Role, string>> = {
  broker: 'broker',
  publisher: 'publisher',
  bridge: 'bridge',
  'cloud-broker': 'cloud broker',
  subscriber: 'subscriber',
};

export function isBrokerRole(role: Role): role is (typeof brokerRoles)[number] {
  return (brokerRoles as readonly Role[]).includes(role);
}

/** What a bridge encrypts with on the way to the cloud. */
export const cloudCipher = 'aes-256-gcm';

const cloudTls = {
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

/** Who shows a certificate on the leg to the cloud; stored as an option of a Trial. */
export const cloudAuthentications = ['broker only', 'mutual TLS'] as const;

/** Whether a bridge stands between the broker and the subscriber. */
export function isBridged({ topology }: Pick<TrialSpec, 'topology'>): boolean {
  return topology === 're-encrypting bridge';
}

/** Who takes part in a Trial. */
export function rolesOf(spec: Pick<TrialSpec, 'topology'>): readonly Role[] {
  return isBridged(spec) ? roles : neededRoles;
}

/** The Trial as a role connects: the publisher and its broker at the edge, all others in the cloud. */
export function legSpecOf(spec: TrialSpec, role: Role): TrialSpec {
  return !isBridged(spec) || role === 'publisher' || role === 'broker' ? spec : cloudLegOf(spec);
}

/**
 * The leg from the bridge to the cloud broker and on to the subscriber: the same messages, always under TLS 1.3 and
 * AES-256-GCM. Where the edge is on TLS 1.3 too, suite, group and certificate are the same on both legs.
 */
export function cloudLegOf(spec: TrialSpec): TrialSpec {
  const tls = spec.security === 'TLS 1.3' ? spec : { ...cloudTls, chainLength: 1 };
  return {
    ...spec,
    security: 'TLS 1.3',
    cipherSuite: tls.cipherSuite,
    group: tls.group,
    certificate: tls.certificate,
    chainLength: tls.chainLength,
    clientCertificate: spec.options.cloudAuthentication === 'mutual TLS' ? 'mutual TLS' : 'none',
    session: 'full',
    payloadCipher: cloudCipher,
    alterEvery: 0,
    broker: spec.broker === 'external' ? 'mosquitto' : spec.broker,
    transport: 'tcp',
  };
}
