import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '@mqttlab/shared/testing/processes';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mqttlab-main-'));

interface Started {
  child: ChildProcess;
  words(): { out: string; err: string };
  exited: Promise<number | null>;
}

function start(environment: Record<string, string>): Started {
  const env = { ...process.env, PORT: '0', MQTTLAB_DATA: folder, ...environment };
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env,
    stdio: 'pipe',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    err += data;
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, exited, words: () => ({ out, err }) };
}

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('main', () => {
  it('reports when it is ready and leaves no process behind on SIGTERM', async () => {
    const { child, exited, words } = start({});
    await expect.poll(() => words().out).toContain('ready');
    expect(words().out).toMatch(/^mqttlab is ready on http:\/\/127\.0\.0\.1:\d+\n$/);
    const address = /http:\S+/.exec(words().out)![0];
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    const testbeds = (await (await fetch(`${address}/api/v1/testbeds`)).json()) as {
      items: { devices: { online: boolean; standby?: boolean }[] }[];
    };
    const devices = testbeds.items[0]?.devices ?? [];
    expect(devices.every(({ online }) => online)).toBe(true);
    // Agents of a bridge start when a run needs them.
    expect(devices.map(({ standby = false }) => standby)).toEqual([false, false, false, true, true]);
    const agents = childrenOf(child.pid!);
    expect(agents).toHaveLength(3);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    for (const pid of agents) expect(existsSync(`/proc/${pid}`), String(pid)).toBe(false);
    expect(readdirSync(folder).filter((name) => /-(wal|shm|journal)$/.test(name))).toEqual([]);
    expect(words().err).toBe('');
  });

  it('reports in one line why it cannot start, and exits with 1', async () => {
    for (const [environment, line] of [
      [{ PORT: 'x' }, /^mqttlab: PORT: is not a port\. Set PORT to 0 to 65535\.\n$/],
      [
        { HOST: '0.0.0.0', MQTTLAB_TLS_CERTIFICATE: '/nowhere', MQTTLAB_TLS_KEY: '/nowhere' },
        /^mqttlab: MQTTLAB_TLS_CERTIFICATE: \/nowhere cannot be read .*\n$/,
      ],
      [
        { MQTTLAB_DATA: '/proc/nowhere' },
        /^mqttlab: The data folder \/proc\/nowhere cannot be written .*\n$/,
      ],
    ] as const) {
      const { exited, words } = start(environment);
      expect(await exited).toBe(1);
      expect(words().err).toMatch(line);
      expect(words().out).toBe('');
    }
  });
});
