import { reasonOf } from '../runs/run-failure.ts';
import type { EmbeddedAnswer } from './embedded-listen.ts';

/** A server in a process of its own: told once over IPC where to listen, gone when the agent is gone. */
export function listenAsChild(listen: (message: unknown) => Promise<number>): void {
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
