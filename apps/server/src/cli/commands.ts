import { makeBackupCommands } from './commands/backup.ts';
import { clients } from './commands/clients.ts';
import { demo } from './commands/demo.ts';
import { device } from './commands/devices/device.ts';
import { enrol } from './commands/devices/enrol.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { list } from './commands/list.ts';
import { meter } from './commands/meter.ts';
import { plan } from './commands/plan.ts';
import { preflight } from './commands/preflight.ts';
import { run } from './commands/run.ts';
import { compare, show } from './commands/show.ts';
import { storage } from './commands/storage.ts';
import { study } from './commands/study.ts';
import { support } from './commands/support.ts';
import { testbed } from './commands/testbed.ts';
import { tls } from './commands/tls.ts';
import { makeTokenCommand } from './commands/token.ts';
import { user } from './commands/user.ts';
import { watch } from './commands/watch.ts';
import { webhook } from './commands/webhook.ts';
import type { Command } from './context.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
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
  enrol,
  meter,
  study,
  clients,
  webhook,
  user,
  storage,
  support,
  tls,
  demo,
  ...makeBackupCommands(process.env),
  makeTokenCommand(process.env),
];
