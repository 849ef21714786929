import * as z from 'zod';

/** What the agent tells its CoAP server over IPC, once. */
export const coapListenSchema = z.strictObject({ address: z.string() });
export type CoapListen = z.infer<typeof coapListenSchema>;
