import { Connection, type ConnectionOptions } from '../mqtt/connection.ts';
import { loadFailure } from './failures.ts';
import { within } from './within.ts';

const rounds = 3;
const timeoutMs = 3_000;

/**
 * Sets a connection up and down a few times before the one that counts: a program's first handshake also loads
 * and compiles the code for it, which costs several times the handshake. Never rejects: what is wrong with the
 * broker shows, under its right name, when the real connections are opened.
 */
export async function rehearse(
  makeOptions: () => Omit<ConnectionOptions, 'onLost'>,
  subscribes: boolean,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (let round = 0; round < rounds; round += 1) {
    const options = makeOptions();
    const connection = new Connection({ ...options, onLost: () => {} });
    try {
      const tooLong = () => loadFailure('timeout', 'The rehearsal took too long.');
      await within(deadlineMs - performance.now(), tooLong, play(connection, { ...options, subscribes }));
    } catch {
      return;
    } finally {
      connection.transport.destroy();
    }
  }
}

async function play(
  connection: Connection,
  part: { tls: object | null; subscribes: boolean },
): Promise<void> {
  await connection.openTcp();
  if (part.tls !== null) await connection.openTls();
  await connection.openMqtt();
  if (part.subscribes) await connection.subscribe();
  await connection.close();
}
