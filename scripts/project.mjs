import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstall } from './ensure-install.mjs';
import { findNode } from './find-node.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs the packages and finds Node 24. Prints one line and ends the process if either is impossible. */
export function prepare() {
  try {
    ensureInstall(root);
    return { root, node: findNode(root) };
  } catch (error) {
    console.error(`mqttlab: ${messageOf(error)}`);
    process.exit(1);
  }
}

/** Installs the packages and continues in Node 24: if an older Node executes this script, it starts the script again. */
export function continueInNode24() {
  const { node } = prepare();
  if (node === process.execPath) return;
  process.exit(spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1);
}

/** @param {unknown} error */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * Ends the child with this process: a signal is passed on, and this process ends after all of its children.
 *
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithThis(child) {
  running.add(child);
  child.once('close', () => running.delete(child));
  if (process.listenerCount('SIGTERM', passOn) > 0) return;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, passOn);
}

/** Set by the first signal. What follows the ended programs is not started. */
let isEnding = false;

/** @param {NodeJS.Signals} signal */
async function passOn(signal) {
  isEnding = true;
  const ended = [...running].map((child) => once(child, 'close'));
  // A terminal sends Ctrl-C to the whole group: the children have it already.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const child of running) child.kill(signal);
  await Promise.allSettled(ended);
  process.exit(128 + constants.signals[signal]);
}

/**
 * Runs a command to its end, or until a signal of the options ends it. It shares the streams of this process. Resolves
 * with its exit code. While this process ends it starts nothing and stays pending.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    if (isEnding) return;
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options });
    endWithThis(child);
    child.once('error', (error) => {
      if (error.name !== 'AbortError') reject(error);
    });
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
}

/**
 * Runs a command and resolves with its exit code and its output on both streams. While this process ends it starts
 * nothing and stays pending.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
export function capture(command, args) {
  return new Promise((resolve) => {
    if (isEnding) return;
    const child = spawn(command, args, { cwd: root, env: { ...process.env, NO_COLOR: '1' } });
    endWithThis(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * Hands this process over to a Node 24 program: it shares the streams, receives the signals and sets the exit code. The
 * IPC channel closes when this process ends.
 *
 * @param {string} node
 * @param {readonly string[]} args
 */
export function handOver(node, args, env = process.env) {
  const child = spawn(node, args, {
    cwd: process.cwd(),
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.once('error', (error) => {
    console.error(`mqttlab: ${error.message}`);
    process.exit(1);
  });
  // A terminal sends Ctrl-C to the whole group: the child has it already.
  process.on('SIGINT', () => !process.stdin.isTTY && child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGTERM'));
  child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
