import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { makeApi } from './api.ts';
import type { CommandContext } from './cli.ts';

interface OwnServer {
  address: string;
  stop(): Promise<void>;
}

/** Number of characters of the server's output that an error message quotes. */
const quotedLength = 4000;
/** Kill timer of a stopping server, which first stops its agents and closes its database. */
const killAfterMs = 60_000;

/** Returns the path of the server's program: next to this bundle, or in the source tree. */
function serverEntry(): string {
  const bundled = fileURLToPath(new URL('./server.mjs', import.meta.url));
  return existsSync(bundled) ? bundled : fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));
}

/** Runs the server in this process, which exits when the server stops. */
export async function serveHere(): Promise<never> {
  await import(pathToFileURL(serverEntry()).href);
  return new Promise(() => undefined);
}

/** Starts a server and waits until it is ready. Rejects with the server's output if it does not start. */
async function startServer(env: NodeJS.ProcessEnv): Promise<OwnServer> {
  const ready = Promise.withResolvers<string>();
  let output = '';
  const child = new ManagedChild({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', serverEntry()],
    environment: env,
    inheritsEnvironment: false,
    // The server exits when this channel closes.
    onMessage: () => {},
    onLine(line) {
      output = `${output}${line}\n`.slice(-quotedLength);
      const address = /ready on (https?:\/\/\S+)/.exec(line)?.[1];
      if (address !== undefined) ready.resolve(address);
    },
    killAfterMs,
  });
  child.start();
  child.exit.then(
    () => ready.reject(new Error(output.trim() || 'the server exited without a message')),
    ready.reject,
  );
  return { address: await ready.promise, stop: () => child.stop() };
}

/**
 * Calls `work` with the server that `--server` specifies. If no server responds there, starts one for the
 * duration of the call and passes false for `stays`.
 */
export async function withServer<T>(
  context: CommandContext,
  work: (context: CommandContext, server: { stays: boolean }) => Promise<T>,
): Promise<T> {
  const { server: named, token, env, note } = context;
  if (await isServing(named)) return work(context, { stays: true });
  const { port } = new URL(named);
  note('No mqttlab server is running; starting one for this command ...');
  const server = await startServer({ ...env, PORT: port || '80' }).catch(() =>
    startServer({ ...env, PORT: '0' }),
  );
  try {
    return await work({ ...context, api: makeApi(server.address, token) }, { stays: false });
  } finally {
    await server.stop();
  }
}

/** Returns true if an mqttlab server responds at the address. */
async function isServing(server: string): Promise<boolean> {
  try {
    const response = await fetch(`${server}/version`, { signal: AbortSignal.timeout(2000) });
    return /"name"\s*:\s*"mqttlab"/.test(await response.text());
  } catch {
    return false;
  }
}
