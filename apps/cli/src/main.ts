import { runCli } from './program.ts';

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

// A reader such as `head` closed the pipe early. The command continues without output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** Text of the status line, which the next line replaces. */
let line = '';
const write = (text: string): void => {
  const over = line === '' ? '' : '\r\u001b[K';
  line = '';
  process.stderr.write(`${over}${text}\n`);
};
const rewrite = (text: string): void => {
  line = text;
  process.stderr.write(`\r\u001b[K${text}`);
};

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  columns: Math.min(100, Math.max(60, process.stdout.columns ?? 80)),
  print: (text) => {
    if (line !== '') write(line);
    process.stdout.write(`${text}\n`);
  },
  note: write,
  ...(process.stderr.isTTY ? { status: rewrite } : {}),
  signal: stopped.signal,
});
if (line !== '') write(line);
if (process.connected) process.disconnect();
