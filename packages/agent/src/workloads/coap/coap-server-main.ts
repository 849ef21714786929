import { listenAsChild } from '../../brokers/listen-as-child.ts';
import { answerRequests } from './answer-requests.ts';
import { coapListenSchema } from './coap-listen.ts';
import { rehearseCoap } from './rehearse-coap.ts';
import { openUdpSocket } from './udp-socket.ts';

/** The CoAP server's own process: told once over IPC where to listen, gone when the agent is gone. */
export function runCoapServer(): void {
  listenAsChild(listen);
}

async function listen(message: unknown): Promise<number> {
  const { address } = coapListenSchema.parse(message);
  await rehearseCoap();
  const socket = await openUdpSocket(address);
  answerRequests(socket);
  return socket.address().port;
}
