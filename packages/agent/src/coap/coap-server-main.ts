import type { EmbeddedAnswer } from '../broker/embedded-listen.ts';
import { reasonOf } from '../run-failure.ts';
import { answerRequests } from './answer-requests.ts';
import { coapListenSchema } from './coap-listen.ts';
import { rehearseCoap } from './rehearse-coap.ts';
import { openUdpSocket } from './udp-socket.ts';

/** The CoAP server's own process: told once over IPC where to listen, gone when the agent is gone. */
export function runCoapServer(): void {
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
  process.once('message', (message) => {
    listen(message).then(
      (port) => answer({ kind: 'ready', port }),
      (error) => answer({ kind: 'failed', reason: reasonOf(error) }),
    );
  });
}

function answer(message: EmbeddedAnswer): void {
  process.send?.(message);
}

async function listen(message: unknown): Promise<number> {
  const { address } = coapListenSchema.parse(message);
  await rehearseCoap();
  const socket = await openUdpSocket(address);
  answerRequests(socket);
  return socket.address().port;
}
