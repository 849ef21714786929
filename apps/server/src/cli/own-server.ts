import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeApi } from './api.ts';
import type { CommandContext, ExitCode } from './context.ts';

interface OwnServer {
  address: string;
  stop(): Promise<void>;
}

/** The server's program: beside this one in the bundle, one folder up in the source tree. */
function serverEntry(): string {
  const bundled = fileURLToPath(new URL('./server.mjs', import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../main.ts', import.meta.url));
}

/** Starts a server of our own and waits until it is ready; rejects with its words when it does not start. */
function startOwnServer(env: NodeJS.ProcessEnv): Promise<OwnServer> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', serverEntry()], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    let words = '';
    child.stderr?.on('data', (data) => {
      words = (words + data).slice(-4000);
    });
    child.stdout?.on('data', (data) => {
      words = (words + data).slice(-4000);
      const address = /ready on (https?:\/\/\S+)/.exec(words)?.[1];
      if (!address) return;
      resolve({
        address,
        stop: async () => {
          child.kill('SIGTERM');
          await ended;
        },
      });
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(words.trim() || 'the server ended without a message')));
  });
}

/**
 * Does the work with the server that `--server` names, or where none answers there with one that is started for it and
 * stopped after it.
 */
export async function withServer(
  context: CommandContext,
  work: (context: CommandContext, server: { stays: boolean }) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { args, note } = context;
  if (await isServing(args.server)) return work(context, { stays: true });
  const { port } = new URL(args.server);
  note('No mqttlab is running: starting one for this command ...');
  const server = await startOwnServer({ ...process.env, PORT: port || '80' }).catch(() =>
    startOwnServer({ ...process.env, PORT: '0' }),
  );
  try {
    return await work({ ...context, api: makeApi(server.address, args.token) }, { stays: false });
  } finally {
    await server.stop();
  }
}

/** True when a mqttlab answers there. */
async function isServing(server: string): Promise<boolean> {
  try {
    const response = await fetch(`${server}/version`, { signal: AbortSignal.timeout(2000) });
    return /"name"\s*:\s*"mqttlab"/.test(await response.text());
  } catch {
    return false;
  }
}
