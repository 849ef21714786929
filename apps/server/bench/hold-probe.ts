import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measurements of a server process since the last request. */
export interface Held {
  /** Longest time for which the event loop was blocked, in ms of wall-clock time. */
  longestMs: number;
  /** The same in CPU time of the main thread, which other programs on the machine do not lengthen. */
  longestCpuMs: number;
  /** CPU time of the main thread, and of the whole process, since the last request, in ms. */
  threadCpuMs: number;
  processCpuMs: number;
}

/** Loaded into a server with --import. Responds to each message from the parent process with a Held. */
const everyMs = 1;
const threadCpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const processCpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const delay = monitorEventLoopDelay({ resolution: everyMs });
delay.enable();
let last = threadCpu();
let longestCpuMs = 0;
let threadAt = last;
let processAt = processCpu();
const look = (): void => {
  const now = threadCpu();
  longestCpuMs = Math.max(longestCpuMs, now - last);
  last = now;
};
setInterval(look, everyMs).unref();

process.on('message', () => {
  look();
  const held: Held = {
    longestMs: Math.max(0, delay.max / 1e6 - everyMs),
    longestCpuMs,
    threadCpuMs: threadCpu() - threadAt,
    processCpuMs: processCpu() - processAt,
  };
  delay.reset();
  longestCpuMs = 0;
  threadAt = threadCpu();
  processAt = processCpu();
  process.send?.(held);
});
