/** What a device does in a Trial. */
export const roles = ['broker', 'publisher', 'bridge', 'cloud-broker', 'subscriber'] as const;
/** Without one device for each of them there are no Runs; the others are for Trials with a bridge. */
export const neededRoles = ['broker', 'publisher', 'subscriber'] as const;
export type Role = (typeof roles)[number];
