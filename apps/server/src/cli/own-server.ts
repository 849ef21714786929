import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface OwnServer {
  address: string;
  stop(): Promise<void>;
}

/** The server's program: beside this one in the bundle, one folder up in the source tree. */
function serverEntry(): string {
  const bundled = fileURLToPath(new URL('./server.mjs', import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../main.ts', import.meta.url));
}

/** Starts a server of our own and waits until it is ready; rejects with its words when it does not start. */
export function startOwnServer(env: NodeJS.ProcessEnv): Promise<OwnServer> {
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
      const address = /ready on (http:\/\/\S+)/.exec(words)?.[1];
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
    child.once('exit', () => reject(new Error(words.trim() || 'the server ended without a word')));
  });
}

/** True when a mqttlab answers there. */
export async function isServing(server: string): Promise<boolean> {
  try {
    const response = await fetch(`${server}/version`, { signal: AbortSignal.timeout(2000) });
    return /"name"\s*:\s*"mqttlab"/.test(await response.text());
  } catch {
    return false;
  }
}
