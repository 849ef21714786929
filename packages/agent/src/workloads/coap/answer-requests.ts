import type { Socket } from 'node:dgram';
import { createServer } from 'coap';

/** 2.04 Changed (RFC 7252 section 5.9.1.4): what a server answers that took a value in. */
const changed = '2.04';

/**
 * Answers every request on the socket at once and without payload, so that a response travels with the
 * acknowledgement (RFC 7252 section 5.2.1); a request that comes again gets the same answer. Returns what ends it.
 */
export function answerRequests(socket: Socket): () => void {
  const server = createServer((_request, response) => {
    response.code = changed;
    response.end();
  });
  server.on('error', () => {});
  server.listen(socket);
  return () => {
    server.close();
    socket.close();
  };
}
