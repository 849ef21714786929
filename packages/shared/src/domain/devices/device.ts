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

export function isBrokerRole(role: Role): role is (typeof brokerRoles)[number] {
  return (brokerRoles as readonly Role[]).includes(role);
}
