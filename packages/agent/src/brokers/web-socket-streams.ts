import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocketServer } from 'ws';

/**
 * Makes MQTT streams out of sockets that speak WebSocket, whatever is below them (MQTT 5 section 6). No compression:
 * no broker offers it, and what it saves would hide what the security level costs.
 */
export function acceptWebSockets(
  onStream: (stream: Duplex, socket: Socket) => void,
): (socket: Socket) => void {
  const http = createServer((_request, response) => response.writeHead(426).end());
  const webSockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    handleProtocols: (protocols) => protocols.has('mqtt') && 'mqtt',
  });
  webSockets.on('connection', (webSocket, request) => {
    onStream(createWebSocketStream(webSocket), request.socket);
  });
  return (socket) => {
    http.emit('connection', socket);
  };
}
