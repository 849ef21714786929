import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { LabError } from './lab-error.ts';

const longestMs = 60_000;

/**
 * Acquires a machine-wide lock; resolves with the function that releases it. The lock is an
 * abstract socket (unix(7)), which the kernel releases when the process exits.
 */
export async function waitForTurn(name: string): Promise<() => Promise<void>> {
  const until = Date.now() + longestMs;
  while (Date.now() < until) {
    const server = createServer();
    const isMine = await new Promise<boolean>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
      );
      server.listen({ path: `\0${name}` }, () => resolve(true));
    });
    if (isMine) return () => new Promise((resolve) => server.close(() => resolve()));
    await wait(50);
  }
  throw new LabError(`Another lab has been starting for ${longestMs / 1000} s.`, 'Wait for it, or stop it.');
}
