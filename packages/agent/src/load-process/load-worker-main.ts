import { writeFileSync } from 'node:fs';
import { MonotonicClock } from '../pacing/monotonic.ts';
import { rehearses } from './cold-start.ts';
import { LoadWorker } from './load-worker.ts';
import type { LoadMessage, LoadRequest } from './worker-messages.ts';

/** Sleeps end within 1 µs instead of 50 µs of the wanted instant (proc(5), timerslack_ns; threads inherit it). */
const timerSlackNs = 1_000;

/** The load worker's own process: takes requests over IPC, ends when told so or when its supervisor is gone. */
export function runLoadWorker(): void {
  const send = (message: LoadMessage): void => {
    if (process.connected) process.send?.(message);
  };
  const worker = new LoadWorker({
    clock: new MonotonicClock().calibrate(),
    send,
    rehearses: rehearses(process.env),
  });
  process.on('message', (message: LoadRequest) => void worker.handle(message));
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
  tightenTimers(send);
  send({ type: 'ready' });
}

function tightenTimers(send: (message: LoadMessage) => void): void {
  try {
    writeFileSync('/proc/self/timerslack_ns', String(timerSlackNs));
  } catch (error) {
    send({ type: 'log', level: 'warn', text: `Timers keep their slack of 50 µs: ${String(error)}` });
  }
}
