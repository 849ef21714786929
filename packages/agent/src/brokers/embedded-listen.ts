import { brokerPortsSchema } from '@mqttlab/shared/domain/devices/broker-ports';
import { securityLevels, transports } from '@mqttlab/shared/domain/plans/trial-levels';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import * as z from 'zod';

/** Settings that the agent sends once to its embedded broker over IPC. */
export const embeddedListenSchema = z.strictObject({
  address: z.string(),
  /** Ports to choose from; if absent, any free port. */
  ports: brokerPortsSchema.optional(),
  transport: z.enum(transports),
  security: z.enum(securityLevels),
  cipherSuite: z.string().nullable(),
  group: z.string().nullable(),
  /** Allowed groups by OpenSSL name; null if the suite names no group. */
  groupList: z.string().nullable(),
  /** PEM texts; null without TLS. */
  tls: z
    .strictObject({
      certificateChain: z.string(),
      privateKey: z.string(),
      /** CA certificate for client certificates; null if clients need none. */
      clientAuthority: z.string().nullable(),
    })
    .nullable(),
});
export type EmbeddedListen = z.infer<typeof embeddedListenSchema>;

/** The broker's answer. */
export const embeddedAnswerSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready'), port: z.int() }),
  z.strictObject({
    kind: z.literal('failed'),
    reason: z.string(),
    /** Present if the reason has a code and a remedy. */
    failure: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() }).optional(),
  }),
]);
export type EmbeddedAnswer = z.infer<typeof embeddedAnswerSchema>;

/** Runs a server in a child process that receives its address once over IPC and exits with the agent. */
export function listenAsChild(listen: (message: unknown) => Promise<number>): void {
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
  process.once('message', (message) => {
    listen(message).then(
      (port) => answer({ kind: 'ready', port }),
      (error) => {
        const failure = error instanceof Failure ? error.report : undefined;
        answer({ kind: 'failed', reason: reasonOf(error), ...(failure && { failure }) });
      },
    );
  });
}

function answer(message: EmbeddedAnswer): void {
  process.send?.(message);
}
