import type { TrialSpec } from '../plans/trial-spec.ts';

/** Role of a device in a trial. */
export const roles = ['broker', 'publisher', 'bridge', 'cloud-broker', 'subscriber'] as const;
/** Roles that every run needs; the others are only for trials with a bridge. */
export const neededRoles = ['broker', 'publisher', 'subscriber'] as const;
/** Additional roles in a trial with a bridge. */
export const bridgeRoles = ['bridge', 'cloud-broker'] as const;
/** Roles that run a broker. */
export const brokerRoles = ['broker', 'cloud-broker'] as const;
/** Roles that several devices can share; the load is divided among them. */
export const sharedRoles = ['publisher', 'subscriber'] as const;
export type Role = (typeof roles)[number];

/** Role names inside a sentence. */
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

/** Payload cipher that the bridge uses for the connection to the cloud. */
export const cloudCipher = 'aes-256-gcm';

const cloudTls = {
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;

/** Which ends of the connection to the cloud present a certificate; stored as an option of a trial. */
export const cloudAuthentications = ['broker only', 'mutual TLS'] as const;

/** True if a bridge connects the broker and the subscriber. */
export function isBridged({ topology }: Pick<TrialSpec, 'topology'>): boolean {
  return topology === 're-encrypting bridge';
}

/** Returns the roles that participate in a trial. */
export function rolesOf(spec: Pick<TrialSpec, 'topology'>): readonly Role[] {
  return isBridged(spec) ? roles : neededRoles;
}

/** Returns the specification for a role: the publisher and its broker use the edge leg, all others the cloud leg. */
export function legSpecOf(spec: TrialSpec, role: Role): TrialSpec {
  return !isBridged(spec) || role === 'publisher' || role === 'broker' ? spec : cloudLegOf(spec);
}

/**
 * Returns the specification of the leg from the bridge over the cloud broker to the subscriber. It has the
 * same messages, always with TLS 1.3 and AES-256-GCM. If the edge leg also uses TLS 1.3, both legs have the
 * same suite, group and certificate.
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
