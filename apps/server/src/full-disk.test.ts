import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { childrenOf } from '@mqttlab/shared/testing/processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from './run/testing/rig.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mqttlab-full-disk-'));

/** A server with its data on a 6 MB disk: a private mount that disappears with the process. */
class SmallDiskServer {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  out = '';
  err = '';

  constructor(isFull = false) {
    const fill = isFull ? '{ cat /dev/zero >"$1/filler" 2>/dev/null; true; } &&' : '';
    const mount = `mount -t tmpfs -o size=6m tmpfs "$1" && ${fill} shift && exec "$@"`;
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', main];
    const rights = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    this.child = spawn('unshare', [...rights, '--mount', 'sh', '-c', mount, 'sh', folder, ...program], {
      env: { ...process.env, PORT: '0', MQTTLAB_DATA: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (data) => {
      this.out += data;
    });
    this.child.stderr?.on('data', (data) => {
      this.err += data;
    });
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
  }

  get address(): string {
    return /http:\S+/.exec(this.out)?.[0] ?? '';
  }

  /** The small disk at the path that the server uses. */
  path(name: string): string {
    return `/proc/${this.child.pid}/root${join(folder, name)}`;
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const file = openSync(this.path('filler'), 'a');
    for (const size of [65_536, 512, 1]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    }
    closeSync(file);
  }

  empty(): void {
    rmSync(this.path('filler'));
  }

  create(): Promise<Response> {
    return fetch(`${this.address}/api/v1/experiments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
  }

  agents(): number[] {
    return childrenOf(this.child.pid ?? 0);
  }
}

describe('a server whose disk is full', () => {
  let server: SmallDiskServer;
  const events: LiveEvent[] = [];
  const storage = () => events.flatMap((event) => (event.event === 'storage' ? [event.data] : [])).at(-1);

  beforeAll(async () => {
    server = new SmallDiskServer();
    await eventually('an address', () => server.address !== '' || server.child.exitCode !== null);
    // On a slow machine agents may need longer than the server waits.
    expect(server.err.replace(/.*the built-in testbed is not complete yet.*\n/, '')).toBe('');
    const socket = new WebSocket(`${server.address.replace('http', 'ws')}/api/v1/live`);
    socket.on('message', (data) => events.push(JSON.parse(String(data))));
    await eventually('a first event', () => events.length > 0);
  });
  afterAll(() => {
    server.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it('stays up when agents die, answers reads, and refuses writes with 507', async () => {
    server.fill();
    let refused: Response | null = null;
    // A few writes may still fit into space that SQLite has allocated.
    for (let i = 0; i < 200 && refused === null; i += 1) {
      const answer = await server.create();
      if (answer.status !== 201) refused = answer;
    }
    expect(refused?.status).toBe(507);
    expect(await refused?.json()).toMatchObject({
      detail: 'The disk is full. Nothing from this request was stored.',
      remedy: expect.stringMatching(/space/),
    });
    for (const pid of server.agents()) process.kill(pid, 'SIGKILL');
    await eventually('three agents', () => server.agents().length === 3);
    await eventually('testbed events', () => events.filter(({ event }) => event === 'testbed').length > 3);
    expect(server.child.exitCode).toBe(null);
    for (const path of [
      '/readyz',
      '/api/v1/experiments',
      '/api/v1/devices',
      '/api/v1/testbeds',
      '/metrics',
    ]) {
      expect([path, (await fetch(server.address + path)).status]).toEqual([path, 200]);
    }
  });

  it('warns every page, including pages opened later, until there is room again', async () => {
    await eventually('a warning', () => storage() !== undefined);
    expect(storage()).toMatchObject({
      code: 'full',
      message: 'The disk is full.',
      since: expect.any(Number),
    });
    const late = new WebSocket(`${server.address.replace('http', 'ws')}/api/v1/live`);
    const first = await new Promise<LiveEvent>((resolve) =>
      late.once('message', (data) => resolve(JSON.parse(String(data)))),
    );
    late.close();
    expect(first).toMatchObject({ event: 'snapshot', data: { storage: { code: 'full' } } });
    server.empty();
    await eventually('the end of the warning', () => storage() === null);
    expect((await server.create()).status).toBe(201);
  });

  it('shuts down in order, even when full', async () => {
    server.fill();
    const { child } = server;
    const agents = server.agents();
    child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
    for (const pid of agents) expect(existsSync(`/proc/${pid}`), String(pid)).toBe(false);
    expect(server.err.split('\n').filter((line) => !/^(\{.*\})?$/.test(line))).toEqual([]);
    expect(server.err).not.toMatch(/uncaught|unhandled/i);
  });

  it('prevents a server from starting, with a one-line error', async () => {
    const other = new SmallDiskServer(true);
    expect(await other.exited).toBe(1);
    expect(other.err).toMatch(/^mqttlab: \S+: The disk is full\. Free some space.*\n$/);
  });
});
