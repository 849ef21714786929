#!/usr/bin/env node
// The program "mqttlab" of the npm package. Runs on the Node of the user, which may be older than the one mqttlab needs.
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from '../find-node.mjs';
import { handOver, messageOf } from '../project.mjs';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
// Not inside the package: npm replaces its folder in an upgrade.
const share = process.env.XDG_DATA_HOME || join(homedir(), '.local', 'share');
const env = { ...process.env, MQTTLAB_DATA: process.env.MQTTLAB_DATA || join(share, 'mqttlab') };

try {
  const program = join(folder, 'dist', 'cli.mjs');
  handOver(
    findNode(folder),
    ['--disable-warning=ExperimentalWarning', program, ...process.argv.slice(2)],
    env,
  );
} catch (error) {
  console.error(`mqttlab: ${messageOf(error)}`);
  process.exitCode = 1;
}
