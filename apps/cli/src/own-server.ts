import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeApi } from './api.ts';
import type { CommandContext } from './cli.ts';

interface OwnServer {
  address: string;
  stop(): Promise<void>;
}

/** Characters of the server's output that an error message quotes. */
const quotedLength = 4000;

/** Returns the server's program: next to this bundle, or in the source tree. */
function serverEntry(): string {
  const bundled = fileURLToPath(new URL('./server.mjs', import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
}

/** Starts a server and waits until it is ready. Rejects with the server's output if it does not start. */
function startServer(env: NodeJS.ProcessEnv): Promise<OwnServer> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', serverEntry()], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (data) => {
      output = (output + data).slice(-quotedLength);
    });
    child.stdout?.on('data', (data) => {
      output = (output + data).slice(-quotedLength);
      const address = /ready on (https?:\/\/\S+)/.exec(output)?.[1];
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
    child.once('exit', () => reject(new Error(output.trim() || 'the server ended without a message')));
  });
}

/**
 * Calls `work` with the server that `--server` names. If no server answers there, starts one for the time of the call;
 * then `stays` is false.
 */
export async function withServer<T>(
  context: CommandContext,
  work: (context: CommandContext, server: { stays: boolean }) => Promise<T>,
): Promise<T> {
  const { server: named, token, env, note } = context;
  if (await isServing(named)) return work(context, { stays: true });
  const { port } = new URL(named);
  note('No mqttlab is running: starting one for this command ...');
  const server = await startServer({ ...env, PORT: port || '80' }).catch(() =>
    startServer({ ...env, PORT: '0' }),
  );
  try {
    return await work({ ...context, api: makeApi(server.address, token) }, { stays: false });
  } finally {
    await server.stop();
  }
}

/** Returns true if mqttlab answers at the address. */
async function isServing(server: string): Promise<boolean> {
  try {
    const response = await fetch(`${server}/version`, { signal: AbortSignal.timeout(2000) });
    return /"name"\s*:\s*"mqttlab"/.test(await response.text());
  } catch {
    return false;
  }
}
