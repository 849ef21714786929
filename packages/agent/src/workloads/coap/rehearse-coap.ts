import { Agent } from 'coap';
import { answerRequests } from './answer-requests.ts';
import { openUdpSocket } from './udp-socket.ts';

const exchanges = 400;
const timeoutMs = 2_000;

/**
 * Some hundred exchanges within this process before the first one that counts: client and server compile their code
 * for it, as the clients of MQTT do. Never rejects.
 */
export async function rehearseCoap(): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const address = '127.0.0.1';
  const [serverSocket, clientSocket] = await Promise.all([openUdpSocket(address), openUdpSocket(address)]);
  const stop = answerRequests(serverSocket);
  const agent = new Agent({ socket: clientSocket });
  const { port } = serverSocket.address();
  try {
    for (let i = 0; i < exchanges && performance.now() < deadlineMs; i += 1) {
      await exchange(agent, { port, confirmable: i % 2 === 0 });
    }
  } finally {
    stop();
    clientSocket.close();
  }
}

function exchange(
  agent: Agent,
  { port, confirmable }: { port: number; confirmable: boolean },
): Promise<void> {
  return new Promise((resolve) => {
    const request = agent.request({ hostname: '127.0.0.1', port, method: 'POST', confirmable });
    // On loopback nothing gets lost but what a full buffer drops.
    const timer = setTimeout(() => {
      agent.abort(request);
      resolve();
    }, 100);
    request.on('error', () => {});
    request.on('response', () => {
      clearTimeout(timer);
      resolve();
    });
    request.end(Buffer.alloc(64));
  });
}
