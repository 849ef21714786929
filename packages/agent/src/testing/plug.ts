import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** A smart plug (Shelly, first generation) that always draws the same power; returns its address. */
export async function startPlug(watts: number): Promise<string> {
  const server = createServer((request, response) => {
    const isMeter = request.url === '/meter/0';
    response.writeHead(isMeter ? 200 : 404).end(JSON.stringify({ power: watts, is_valid: true }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${bound.port}`;
}
