import type { Socket } from 'node:net';
import { conflict } from '../base/errors.ts';

/** Runs the work with a signal that is aborted when the caller hangs up. */
export async function untilGone<T>(socket: Socket, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const gone = new AbortController();
  const hangUp = (): void => gone.abort(conflict('Whoever asked hung up.', 'Ask again.'));
  socket.once('close', hangUp);
  try {
    return await work(gone.signal);
  } finally {
    socket.off('close', hangUp);
  }
}
