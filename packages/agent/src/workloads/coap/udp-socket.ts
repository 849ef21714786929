import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** A bound UDP socket; port 0: a free one. Rejects with the system's error. */
export async function openUdpSocket(address: string, port = 0): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', reuseAddr: false });
  socket.bind(port, address);
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}
