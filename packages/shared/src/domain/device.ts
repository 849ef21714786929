/** What a device does in a Trial. */
export const roles = ['broker', 'publisher', 'subscriber'] as const;
export type Role = (typeof roles)[number];
