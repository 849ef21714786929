/** What a plug between the wall and the power supply sees. */
export const plugCovers = 'everything behind the plug, with the power supply and its losses';

/** The chips inside give a new figure about once a second. */
export const plugIntervalMs = 1_000;
