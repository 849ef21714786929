import { makeBackupCommands } from './commands/backup.ts';
import { compare } from './commands/compare.ts';
import { demo } from './commands/demo.ts';
import { device } from './commands/device.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { list } from './commands/list.ts';
import { meter } from './commands/meter.ts';
import { plan } from './commands/plan.ts';
import { preflight } from './commands/preflight.ts';
import { run } from './commands/run.ts';
import { show } from './commands/show.ts';
import { study } from './commands/study.ts';
import { testbed } from './commands/testbed.ts';
import { makeTokenCommand } from './commands/token.ts';
import { watch } from './commands/watch.ts';
import { webhook } from './commands/webhook.ts';
import type { Command } from './context.ts';
import { runCli } from './run-cli.ts';

const commands: readonly Command[] = [
  run,
  plan,
  preflight,
  watch,
  list,
  show,
  compare,
  exportCommand,
  importCommand,
  device,
  testbed,
  meter,
  study,
  webhook,
  demo,
  ...makeBackupCommands(process.env),
  makeTokenCommand(process.env),
];

const written = process.argv.slice(2);
const [command, ...rest] = written;
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

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
