import { commands } from './commands.ts';
import { runCli } from './run-cli.ts';

const written = process.argv.slice(2);
const [command, ...rest] = written;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

// A reader such as `head` closes the pipe early. What the command does goes on; its output goes nowhere.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

/** What stands in the line that is written over. */
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

process.exitCode = await runCli({
  // Studies were called protocols.
  argv: command === 'protocol' ? ['study', ...rest] : written,
  env: process.env,
  commands,
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
